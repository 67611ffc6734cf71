/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- not part of the published node: it writes a source file */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { generateCountryCodes } from './countryCodes';

writeFileSync(
	join(__dirname, '../../nodes/MessagingAccount/parameters/countryCodeEntries.ts'),
	generateCountryCodes(),
);
