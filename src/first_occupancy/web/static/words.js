// Words that several parts of the page use.

/** @param {number} number @param {string} name @param {string} [more] */
export const count = (number, name, more = "s") => `${number} ${name}${number === 1 ? "" : more}`;

/** @param {number} milliseconds */
export const time = (milliseconds) => (milliseconds < 1 ? "less than 1 ms" : `${Number(milliseconds.toPrecision(2))} ms`);
