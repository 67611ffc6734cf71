import { timeByPart } from '../../bench/profile';

test('sums up a profile by part of the code, per item', () => {
	const frames = [
		['(idle)', ''],
		['exchange', 'file:///n/node_modules/n8n-nodes-messaging-account/dist/nodes/request.js'],
		['evalClosureSync', ''],
		['writev', ''],
	];
	const nodes = frames.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } }));
	const profile = { nodes, samples: [0, 1, 2, 3, 1], timeDeltas: [1000, 20, 300, 40, 80] };
	expect(timeByPart(profile, 10)).toMatchObject({
		waiting: 100,
		'this package': 10,
		'expressions and the rest of n8n-workflow': 30,
		'Node.js': 4,
		database: 0,
	});
});
