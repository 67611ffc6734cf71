import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { generateCountryCodes } from './countryCodes';

writeFileSync(
	join(__dirname, '../../nodes/MessagingAccount/parameters/countryCodeEntries.ts'),
	generateCountryCodes(),
);
