import { checkSync } from 'recheck';
import ts from 'typescript';

import { findSyntax } from '../support/syntax';

/** So few attempts still find each expression of earlier versions that was not linear. */
const FEW_ATTEMPTS = {
	maxNFASize: 200,
	attackLimit: 1_500_000,
	incubationLimit: 5_000,
	maxIteration: 2,
	crossoverSize: 5,
	mutationSize: 5,
	randomSeed: 1,
};

const SHORT_TEXTS = 'These are compared with texts of at most 1,000 characters.';

/** Those that are not linear, by their beginning, and why they may be so. */
const EXCEPTIONS: Record<string, string> = {
	'/\\b(session|device)\\b.*\\b(not found|': SHORT_TEXTS,
	'/\\b(account|session|instance|device|p': SHORT_TEXTS,
	'/\\b(disconnected|logged out|unpaired|': SHORT_TEXTS,
};

/** Whether the time that it takes grows no faster than the text. */
function isLinear(expression: string): boolean {
	const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(expression)!;
	return checkSync(source, flags, FEW_ATTEMPTS).status === 'safe';
}

test.each(['/\\s+\\S*$/', '/\\/*(\\/v1)?\\/*$/', '/^(a+)+$/', '/<title[^>]*>([^<]*)</i'])(
	'%s would be found',
	(expression) => {
		expect(isLinear(expression)).toBe(false);
	},
);

test('no regular expression stops n8n, whatever the text', () => {
	const expressions = findSyntax(ts.isRegularExpressionLiteral).map(({ text }) => text);
	expect(expressions.length).toBeGreaterThan(100);
	const notLinear = [...new Set(expressions)].filter((expression) => !isLinear(expression));
	const isExpected = (expression: string) =>
		Object.keys(EXCEPTIONS).some((start) => expression.startsWith(start));
	expect(notLinear.filter((expression) => !isExpected(expression))).toEqual([]);
	expect(notLinear).toHaveLength(Object.keys(EXCEPTIONS).length);
});
