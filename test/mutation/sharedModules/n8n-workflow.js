module.exports = requireOnce('n8n-workflow');
