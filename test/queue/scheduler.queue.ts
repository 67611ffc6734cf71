import { DURABLE, emitted, publishTrigger, untilEmitted, untilPolls } from '../n8n/triggers';
import { useQueueMode } from './queueMode';

const { queue, server, credentials } = useQueueMode(DURABLE);

test("main polls with n8n's scheduler, workers run: each message starts the workflow once, through a restart of main", async () => {
	const [worker] = await queue.scaleWorkers(1);
	const list = [{ id: 'before it was published' }];
	server.onRequest(() => ({ body: list }));
	const countPolls = () => server.requests.length;
	const workflow = await publishTrigger(queue, credentials);
	await untilPolls(countPolls, 2);

	list.push({ id: 'first' });
	await untilEmitted(queue, workflow, 1);
	await queue.restartMain(() => void list.push({ id: 'while main was down' }));
	await untilEmitted(queue, workflow, 2);
	await untilPolls(countPolls, 2);
	const ids = (await emitted(queue, workflow)).map(({ id }) => id);
	expect(ids).toEqual(['first', 'while main was down']);
	const executions = await queue.rest.listExecutions(workflow);
	expect(await worker.readStartedIds()).toEqual(executions.map(({ id }) => id));
});
