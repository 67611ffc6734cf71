import type { Host } from './host';
import { endsWithStatus, last, page, refusesFurtherPages, respondWith, withoutTime } from './lists';

const pagesOfAll: Host = {
	about: 'Pages of 20, without an end',
	options: { pageParameter: 'page' },
	burst: 120,
	respond: (account, index) => respondWith(page(account, index, 20)),
};

const pagesOldestFirst: Host = {
	about: 'Pages of 20, in each of which the newest are at the end',
	options: { pageParameter: 'page' },
	burst: 120,
	respond: (account, index) => respondWith(page(account, index, 20).reverse()),
};

const pagesFromOne: Host = {
	about: 'Pages from 1, and 0 stands for 1',
	options: { pageParameter: 'page' },
	burst: 100,
	respond: (account, index) => respondWith(page(account, Math.max(index - 1, 0), 25)),
};

const pagesOfLast100: Host = {
	about: 'Pages of 50, of which it keeps the last 100',
	options: { pageParameter: 'page' },
	burst: 150,
	respond: (account, index) => respondWith(page(account, index, 50, 100)),
};

const noTimesOnPagesOfLast100: Host = {
	...pagesOfLast100,
	perHour: 300,
	about: 'The same without times',
	respond: (account, index) => respondWith(page(account, index, 50, 100), withoutTime),
};

const ignoresPages: Host = {
	about: 'The first page for every page number',
	options: { pageParameter: 'page' },
	burst: 90,
	respond: (account) => respondWith(last(account, 50)),
};

const failingFurtherPages = refusesFurtherPages('Further pages fail for hours', { status: 500 });

const limitsFurtherPages = refusesFurtherPages('Further pages are refused with 429 for hours', {
	status: 429,
	headers: { 'retry-after': '600' },
});

const status400AfterLastPage = endsWithStatus(400);

const status404AfterLastPage = endsWithStatus(404);

const status416AfterLastPage = endsWithStatus(416);

const status422AfterLastPage = endsWithStatus(422);

export const pages: Record<string, Host> = {
	pagesOfAll,
	pagesOldestFirst,
	pagesFromOne,
	pagesOfLast100,
	noTimesOnPagesOfLast100,
	ignoresPages,
	failingFurtherPages,
	limitsFurtherPages,
	status400AfterLastPage,
	status404AfterLastPage,
	status416AfterLastPage,
	status422AfterLastPage,
};
