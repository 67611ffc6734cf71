import { refusesFurtherPages } from '../lists';

export const host = refusesFurtherPages('Further pages are refused with 429 for hours', {
	status: 429,
	headers: { 'retry-after': '600' },
});
