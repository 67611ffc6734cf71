import { type CountryCode, getCountries, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';

import { findChangedNumber } from '../../../../nodes/MessagingAccount/parameters/changedNumber';
import { Part } from '../../../../nodes/MessagingAccount/parameters/expressions';

/** What an expression takes of a number with this code and rest, and what all of Number then gives. */
const WAYS: Array<[way: string, (code: string, rest: string) => [taken: string, given: string]]> = [
	['a code in front', (code, rest) => [rest, code + rest]],
	['a + and a code in front', (code, rest) => [rest, `+${code} ${rest}`]],
	['a + in front', (code, rest) => [code + rest, `+${code}${rest}`]],
	['a + cut', (code, rest) => [`+${code} ${rest}`, code + rest]],
	['a + for 00', (code, rest) => [`00${code}${rest}`, `+${code}${rest}`]],
	['a code for 0', (code, rest) => [`0${rest}`, code + rest]],
];

test.each(WAYS)('%s makes no mobile number of any country another one', (_way, write) => {
	const findChanged = (country: CountryCode) => {
		const { countryCallingCode, nationalNumber } = getExampleNumber(country, examples)!;
		const [taken, whole] = write(countryCallingCode, nationalNumber);
		const part = new Part('{{ $json.phone.trim() }}', taken, () => taken);
		return findChangedNumber(part, whole);
	};
	expect(getCountries().filter(findChanged)).toEqual([]);
});
