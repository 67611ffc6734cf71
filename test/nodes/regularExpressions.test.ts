import { checkSync } from 'recheck';
import ts from 'typescript';

import { DISCONNECTED, OTHER_CONNECTION } from '../../nodes/MessagingAccount/errors/disconnected';
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
	// The limits above end it. A busy machine needs more time.
	timeout: null,
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
	// These are made of lists of words.
	const all = new Set([...expressions, ...[...DISCONNECTED.flat(), OTHER_CONNECTION].map(String)]);
	expect([...all].filter((expression) => !isLinear(expression))).toEqual([]);
});
