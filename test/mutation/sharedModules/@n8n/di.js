const { resolve } = requireOnce;

// The one that n8n-core uses: others may be installed beside it.
module.exports = requireOnce(resolve('@n8n/di', { paths: [resolve('n8n-core')] }));
