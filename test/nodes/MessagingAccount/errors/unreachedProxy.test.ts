import { findUnreachedProxy } from '../../../../nodes/MessagingAccount/errors/unreachedProxy';

const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);
const notFound = (name: string) => new Error(`getaddrinfo ENOTFOUND ${name}`);

test.each([
	['127.0.0.1:3128', 'https://messaging.example.com', '127.0.0.1:3128'],
	['127.0.0.1:3128', 'http://127.0.0.1:8080', '127.0.0.1:3128'],
	['10.0.0.5:80', 'http://10.0.0.6', '10.0.0.5:80'],
	['10.0.0.5:443', 'http://10.0.0.5', '10.0.0.5:443'],
	['::1:3128', 'http://[::1]:8080', '[::1]:3128'],
	['::2:8080', 'http://[::1]:8080', '[::2]:8080'],
	['127.0.0.1:8080', 'http://[::1]:8080', '127.0.0.1:8080'],
])('%s refused a connection for %s: it was the proxy %s', (address, baseUrl, proxy) => {
	expect(findUnreachedProxy(refused(address), baseUrl)).toBe(proxy);
});

test.each([
	['127.0.0.1:8080', 'http://127.0.0.1:8080'],
	['10.0.0.5:443', 'https://10.0.0.5/messaging'],
	['::1:80', 'http://[::1]'],
	['10.0.0.5:443', 'https://messaging.example.com'],
	['::1:8080', 'http://localhost:8080'],
	['10.0.0.5:443', 'https://1messaging.example.com'],
	['10.0.0.5:443', 'https://messaging1'],
])('%s refused a connection for %s: it may have been the service', (address, baseUrl) => {
	expect(findUnreachedProxy(refused(address), baseUrl)).toBeUndefined();
});

test('a name that was not found is that of the proxy, unless it is that of the service', () => {
	const baseUrl = 'https://Messaging.example.com:8443/api';
	expect(findUnreachedProxy(notFound('proxy.invalid'), baseUrl)).toBe('proxy.invalid');
	expect(findUnreachedProxy(notFound('messaging.example.com'), baseUrl)).toBeUndefined();
	const later = new Error('getaddrinfo EAI_AGAIN proxy.invalid');
	expect(findUnreachedProxy(later, baseUrl)).toBe('proxy.invalid');
});

test('finds the text where n8n leaves it', () => {
	const baseUrl = 'https://messaging.example.com';
	const { message } = refused('127.0.0.1:3128');
	const replaced = { message: 'The service refused the connection', messages: ['', message] };
	expect(findUnreachedProxy(replaced, baseUrl)).toBe('127.0.0.1:3128');
	expect(findUnreachedProxy({ message: '', cause: replaced }, baseUrl)).toBe('127.0.0.1:3128');
	const ofAllAddresses = { message: '', errors: [{ message }, refused('::1:3128')] };
	expect(findUnreachedProxy({ cause: ofAllAddresses }, baseUrl)).toBe('127.0.0.1:3128');
	for (const other of [undefined, null, 'text', new Error('connect ETIMEDOUT 127.0.0.1:3128')]) {
		expect(findUnreachedProxy(other, baseUrl)).toBeUndefined();
	}
});
