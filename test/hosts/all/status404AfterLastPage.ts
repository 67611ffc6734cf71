import { endsWithStatus } from '../lists';

export const host = endsWithStatus(404);
