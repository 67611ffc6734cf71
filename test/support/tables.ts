/** The rows of a table. An indented line belongs to the row before it. */
export const rowsOf = (table: string): string[] => table.trim().split(/\n(?!\t)/);

/** The entries of a row or cell, between which there are `|` or new lines. */
export const entriesOf = (text: string): string[] => text.split(/ \| |\n\t/);

/** Reads rows like `what is expected → entry | entry`: for each entry, the cells of its row. */
export const readTable = (table: string): string[][] =>
	rowsOf(table).flatMap((row) => {
		const cells = row.split(' → ');
		return entriesOf(cells.pop()!).map((entry) => [...cells, entry]);
	});
