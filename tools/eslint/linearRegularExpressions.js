const { checkSync } = require('recheck');

/** So few attempts still find each expression of earlier versions that was not linear. The limits end a check, not a clock. */
const FEW_ATTEMPTS = {
	maxNFASize: 200,
	attackLimit: 1_500_000,
	incubationLimit: 5_000,
	maxIteration: 2,
	crossoverSize: 5,
	mutationSize: 5,
	randomSeed: 1,
	timeout: null,
};

/**
 * Whether the time that an expression takes grows no faster than the text.
 *
 * @example isLinear('^(a+)+$', '') // false
 */
function isLinear(source, flags) {
	return checkSync(source, flags, FEW_ATTEMPTS).status === 'safe';
}

/** Texts from outside must not stop n8n, however long they are. */
const linearRegularExpressions = {
	meta: {
		type: 'problem',
		messages: {
			slow: 'On some texts, this takes more time than it has characters, and n8n stands still: bound each repetition, or search without it.',
		},
	},
	create: (context) => ({
		'Literal[regex]'(node) {
			const { pattern, flags } = node.regex;
			if (!isLinear(pattern, flags)) context.report({ node, messageId: 'slow' });
		},
	}),
};

module.exports = { isLinear, linearRegularExpressions };
