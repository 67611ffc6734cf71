import type { Host } from './host';
import { host as bumped } from './all/bumped';
import { host as byChange } from './all/byChange';
import { host as byChat } from './all/byChat';
import { host as changesOrder } from './all/changesOrder';
import { host as clearedAccount } from './all/clearedAccount';
import { host as clearedChats } from './all/clearedChats';
import { host as clearedChatsNoTimes } from './all/clearedChatsNoTimes';
import { host as deletions } from './all/deletions';
import { host as deletionsNoTimes } from './all/deletionsNoTimes';
import { host as doubled } from './all/doubled';
import { host as doubledOnce } from './all/doubledOnce';
import { host as edits } from './all/edits';
import { host as emptyAtFirst } from './all/emptyAtFirst';
import { host as emptyAtNight } from './all/emptyAtNight';
import { host as failingFurtherPages } from './all/failingFurtherPages';
import { host as fails } from './all/fails';
import { host as fullOf50 } from './all/fullOf50';
import { host as idElsewhereOnce } from './all/idElsewhereOnce';
import { host as idOfChatFirst } from './all/idOfChatFirst';
import { host as idsInChatAndSender } from './all/idsInChatAndSender';
import { host as idsPerChat } from './all/idsPerChat';
import { host as idsPerChatAsField } from './all/idsPerChatAsField';
import { host as idsPerSender } from './all/idsPerSender';
import { host as ignoresPages } from './all/ignoresPages';
import { host as laggingReplica } from './all/laggingReplica';
import { host as laggingReplicas } from './all/laggingReplicas';
import { host as lastDay } from './all/lastDay';
import { host as late } from './all/late';
import { host as limitsFurtherPages } from './all/limitsFurtherPages';
import { host as longIds } from './all/longIds';
import { host as longList } from './all/longList';
import { host as mailDates } from './all/mailDates';
import { host as movesId } from './all/movesId';
import { host as noIds } from './all/noIds';
import { host as noTimes } from './all/noTimes';
import { host as noTimesOldestFirst } from './all/noTimesOldestFirst';
import { host as numericIdsNoTimes } from './all/numericIdsNoTimes';
import { host as oldestFirst } from './all/oldestFirst';
import { host as omitsEmptyList } from './all/omitsEmptyList';
import { host as pagesFromOne } from './all/pagesFromOne';
import { host as pagesOfAll } from './all/pagesOfAll';
import { host as pagesOfLast100 } from './all/pagesOfLast100';
import { host as pagesOldestFirst } from './all/pagesOldestFirst';
import { host as pinnedNoTimes } from './all/pinnedNoTimes';
import { host as pinnedOnTop } from './all/pinnedOnTop';
import { host as pinnedOnTopOnePage } from './all/pinnedOnTopOnePage';
import { host as pinnedPagesNoTimes } from './all/pinnedPagesNoTimes';
import { host as plain } from './all/plain';
import { host as plainTexts } from './all/plainTexts';
import { host as randomParts } from './all/randomParts';
import { host as reusedIds } from './all/reusedIds';
import { host as secondsOnly } from './all/secondsOnly';
import { host as status400AfterLastPage } from './all/status400AfterLastPage';
import { host as status404AfterLastPage } from './all/status404AfterLastPage';
import { host as status416AfterLastPage } from './all/status416AfterLastPage';
import { host as status422AfterLastPage } from './all/status422AfterLastPage';
import { host as temporaryIds } from './all/temporaryIds';
import { host as tenThousand } from './all/tenThousand';
import { host as twoLists } from './all/twoLists';
import { host as wrapped } from './all/wrapped';
import { host as wrappedTwice } from './all/wrappedTwice';

/** All simulated hosts, by name. */
export const HOSTS: Record<string, Host> = {
	bumped,
	byChange,
	byChat,
	changesOrder,
	clearedAccount,
	clearedChats,
	clearedChatsNoTimes,
	deletions,
	deletionsNoTimes,
	doubled,
	doubledOnce,
	edits,
	emptyAtFirst,
	emptyAtNight,
	failingFurtherPages,
	fails,
	fullOf50,
	idElsewhereOnce,
	idOfChatFirst,
	idsInChatAndSender,
	idsPerChat,
	idsPerChatAsField,
	idsPerSender,
	ignoresPages,
	laggingReplica,
	laggingReplicas,
	lastDay,
	late,
	limitsFurtherPages,
	longIds,
	longList,
	mailDates,
	movesId,
	noIds,
	noTimes,
	noTimesOldestFirst,
	numericIdsNoTimes,
	oldestFirst,
	omitsEmptyList,
	pagesFromOne,
	pagesOfAll,
	pagesOfLast100,
	pagesOldestFirst,
	pinnedNoTimes,
	pinnedOnTop,
	pinnedOnTopOnePage,
	pinnedPagesNoTimes,
	plain,
	plainTexts,
	randomParts,
	reusedIds,
	secondsOnly,
	status400AfterLastPage,
	status404AfterLastPage,
	status416AfterLastPage,
	status422AfterLastPage,
	temporaryIds,
	tenThousand,
	twoLists,
	wrapped,
	wrappedTwice,
};
