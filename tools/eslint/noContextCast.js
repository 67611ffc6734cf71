/** Whether one of the files that declare it has this folder in its path. */
const isDeclaredIn = (folder, symbol) =>
	symbol?.declarations?.some((one) => one.getSourceFile().fileName.includes(folder)) ?? false;

/** Whether n8n exports the type, or the type is a part of one, e.g. `Partial<IPollFunctions>`. */
function isOfN8n({ aliasSymbol, aliasTypeArguments, symbol }) {
	if (isDeclaredIn('/n8n-workflow/', aliasSymbol ?? symbol)) return true;
	return isDeclaredIn('/typescript/lib/', aliasSymbol) && (aliasTypeArguments ?? []).every(isOfN8n);
}

/** What a cast of a context, e.g. `IExecuteFunctions`, gives access to beyond n8n's own types is an internal of n8n. */
const noContextCast = {
	meta: {
		type: 'problem',
		messages: {
			internal:
				"n8n does not export this type, so what it gives access to is one of n8n's internals, which change without notice.",
		},
	},
	create(context) {
		const services = context.sourceCode.parserServices;
		return {
			'TSAsExpression, TSTypeAssertion'(node) {
				const isContext = services.getTypeAtLocation(node.expression).getProperty('getNode');
				if (isContext && !isOfN8n(services.getTypeAtLocation(node.typeAnnotation)))
					context.report({ node, messageId: 'internal' });
			},
		};
	},
};

module.exports = { noContextCast };
