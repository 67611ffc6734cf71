import { refusesFurtherPages } from '../lists';

export const host = refusesFurtherPages('Further pages fail for hours', { status: 500 });
