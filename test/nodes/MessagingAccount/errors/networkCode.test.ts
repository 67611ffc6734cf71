import { findNetworkCode } from '../../../../nodes/MessagingAccount/errors/networkCode';

const inside = (cause: unknown) => new Error('outer', { cause });
const BLOCKED = 'The request was blocked because the destination hostname is restricted';
const NO_TLS = 'write EPROTO x\nSSL routines:wrong version number';
const WANTED = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
const HALF = 'Client network socket disconnected before secure TLS connection was established';
const ALERTS: Record<number, string> = {
	40: 'ssl/tls alert handshake failure',
	42: 'ssl/tls alert bad certificate',
	48: 'tlsv1 alert unknown ca',
	70: 'tlsv1 alert protocol version',
	80: 'tlsv1 alert internal error',
	112: 'tlsv1 unrecognized name',
	116: 'tlsv13 alert certificate required',
};
/** Its text in OpenSSL. */
const ALERT = (number: number) =>
	`40:error:0A000410:SSL routines:ssl3_read_bytes:${ALERTS[number]}:../rec_layer_s3.c:918:SSL alert number ${number}:\n`;

test.each<[where: string, error: unknown, code: string | undefined]>([
	['at any depth of causes', inside(inside({ code: 'ECONNRESET' })), 'ECONNRESET'],
	['of any name', { code: 'ERR_HTTP2_ERROR' }, 'ERR_HTTP2_ERROR'],
	['where older versions of n8n put it', { httpCode: 'ECONNRESET' }, 'ECONNRESET'],
	['of the cause', { httpCode: 'ECONNRESET', cause: { code: 'EPIPE' } }, 'EPIPE'],
	['in no other error', new Error('none'), undefined],
	['in no text', 'text', undefined],
	['in no null', null, undefined],
	['in no HTTP status', { httpCode: '500' }, undefined],
	['in no number', { code: 7 }, undefined],
	['of a block', inside({ name: 'SsrfBlockedIpError' }), 'BLOCKED_BY_N8N'],
	['of no other error', { name: 'NotSsrfBlockedIpError' }, undefined],
	['of a block, by its text', { message: BLOCKED }, 'BLOCKED_BY_N8N'],
	['of a text like it', { message: `Odd: ${BLOCKED}` }, undefined],
	['beside such a text', { message: BLOCKED, code: 'ECONNRESET' }, 'ECONNRESET'],
	['behind such a text', { message: BLOCKED, cause: { code: 'ECONNRESET' } }, 'ECONNRESET'],
	['for lack of TLS', { message: NO_TLS, code: 'EPROTO' }, 'NO_TLS'],
	['for lack of TLS', { message: `${NO_TLS}\n`, httpCode: 'EPROTO' }, 'NO_TLS'],
	['for lack of TLS only', { message: NO_TLS, code: 'ECONNRESET' }, 'ECONNRESET'],
	['of a handshake', { message: `write EPROTO ${ALERT(40)}`, httpCode: 'EPROTO' }, 'NO_HANDSHAKE'],
	['for a name', { message: `write EPROTO ${ALERT(80)}`, code: 'EPROTO' }, 'NO_SUCH_NAME'],
	['for a name', { message: `write EPROTO ${ALERT(112)}`, code: 'EPROTO' }, 'NO_SUCH_NAME'],
	['for a certificate', { message: `write EPROTO ${ALERT(48)}`, code: 'EPROTO' }, WANTED],
	['for a certificate', { message: `write EPROTO ${ALERT(116)}`, code: 'EPROTO' }, WANTED],
	['after a handshake', { message: ALERT(116), code: WANTED }, WANTED],
	['of a half handshake', { message: HALF, code: 'ECONNRESET' }, 'NOT_SECURED'],
	['of a half handshake', inside({ message: HALF, code: 'ECONNRESET' }), 'NOT_SECURED'],
	['of no half handshake', { message: `${HALF} x`, code: 'ECONNRESET' }, 'ECONNRESET'],
	['of another EPROTO', { message: 'x', code: 'EPROTO' }, 'EPROTO'],
	['of another EPROTO', { message: ALERT(40), code: 'EPROTO' }, 'EPROTO'],
	['of another EPROTO', { message: 'wrong version number', code: 'EPROTO' }, 'EPROTO'],
	['of another EPROTO', { message: NO_TLS.replace('write', 'read'), code: 'EPROTO' }, 'EPROTO'],
])('finds the code %s: %j', (_where, error, code) => expect(findNetworkCode(error)).toBe(code));
