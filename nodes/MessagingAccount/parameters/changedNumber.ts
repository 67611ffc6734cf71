import { findCountryCode, hasPossibleLength } from './countryCodes';
import { orIfRefused, type Part } from './expressions';
import { skipDigits, toDigits } from './internationalNumber';
import { OTHER_ID, readPhoneNumber, UNKNOWN_CHARACTER } from './phoneNumber';
import { SCIENTIFIC, toPlainNumber } from './numberText';

const readOr = <T>(text: string, otherwise: T) =>
	orIfRefused(() => readPhoneNumber(text), otherwise);

/** What is no number, has an end that is no part of it, or no country code: `.0`, `x12`, `?text=2`, `0151…` */
const NOT_AS_IT_IS = [
	OTHER_ID,
	SCIENTIFIC,
	/\.0$|(x|ext\.?) ?\d{1,6}$/i,
	/\d[?&].*\d/,
	/^\D*0[1-9]/,
];

/** Finds what an expression cuts to the digits of another number: `+49 (0)30 1234`, `…@lid`, `4.9E+12` or, if it `isAll`, `0151…`. */
export function findCut({ given, taken }: Part, isAll: boolean): string | undefined {
	const number = readOr(given, undefined);
	return taken.find(({ value }) => {
		const text = String(value);
		const plain = SCIENTIFIC.test(text) ? String(Number(text)) : text.replace(/[:_].*/, '');
		const texts = [text, plain, isAll ? text.replace(/^\D*0(?=[1-9])/, '') : text];
		const isCut = number && text !== given && texts.map(toDigits).includes(toDigits(given));
		const isOther = NOT_AS_IT_IS.some((one) => one.test(text));
		return isCut && readOr(text, isOther || number) !== number;
	})?.name;
}

/** The fewest digits by which a number is recognized: one within a city has that many. */
const MIN_SAME = 7;
/** So many digits hardly ever lack a country code. */
const MIN_WITH_CODE = 12;

/**
 * Finds a number that an expression, or the text around it, turns into another one: `49{{ $json.phone }}` of 4915123456789 or 015123456789, or
 * `{{ $json.phone.slice(1) }}`, which is meant to leave out a +, of 4915123456789. @param whole what all of 'Number' gives
 */
export function findChangedNumber({ taken }: Part, whole: string) {
	const number = readOr(whole, '');
	const changed = number && taken.find(({ value }) => isChanged(String(value), number));
	return changed ? { name: changed.name, number } : undefined;
}

function isChanged(text: string, number: string): boolean {
	const plain = toPlainNumber(text.slice(0, 100));
	if (UNKNOWN_CHARACTER.test(plain)) return false;
	const alone = readOr(text, '');
	const digits = alone || toDigits(plain);
	let sameEnd = 0;
	while (sameEnd < digits.length && digits.at(-1 - sameEnd) === number.at(-1 - sameEnd)) sameEnd++;
	const lostFront = digits.slice(0, digits.length - sameEnd);
	const newFront = number.slice(0, number.length - sameEnd);
	if (sameEnd < MIN_SAME || digits === number) return false;
	if (lostFront === '') return doesNotFit(digits, newFront);
	// In front of a separator, it may be something else: 12, 4915123456789.
	const isApart = alone === '' && /\D/.test(skipDigits(plain, lostFront.length)[0]);
	return !isApart && isCutWrongly(lostFront, newFront, number);
}

function doesNotFit(digits: string, newFront: string): boolean {
	if (readOr(`+${newFront}${digits}`, '') !== newFront + digits) return true;
	const own = findCountryCode(digits);
	const isPossible = own !== undefined && hasPossibleLength(own, digits.slice(own.code.length));
	return isPossible && own.code === newFront && digits.length >= MIN_WITH_CODE;
}

/** Whether what is left out is neither dialed only within the country nor comes back, maybe with a digit more or less, as in Brazil and Mexico. */
function isCutWrongly(lostFront: string, newFront: string, number: string): boolean {
	const { code = '', trunk = [] } = findCountryCode(number) ?? {};
	const behindCode = lostFront.startsWith(newFront) ? lostFront.slice(newFront.length) : lostFront;
	// Within Argentina, mobile numbers begin with 15.
	const isArgentine15 = code + behindCode === '5415';
	const isTrunk = behindCode.startsWith('0') || trunk.includes(behindCode) || isArgentine15;
	const front = lostFront.slice(0, 2);
	// Of 49 98765-4321, which becomes 55 49 8765-4321, the 9 of the area stands where the other one stood: only the 4 is new.
	const isBack = number.startsWith(front) || number.startsWith(code + front);
	const comesBack = newFront.includes(front) || (lostFront.length > 1 && isBack);
	// More digits may be another number in the same cell.
	return !isTrunk && !comesBack && lostFront.length <= 3;
}
