import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PROJECT } from '../n8n/install';
import { openApi } from './openapi';

// For operators to import, and a test compares it.
writeFileSync(join(PROJECT, 'docs/openapi.json'), `${JSON.stringify(openApi, null, '\t')}\n`);
