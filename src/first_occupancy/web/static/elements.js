// The page's elements, by their ids or by a selector.
/** @import { Elements } from "./types" */

/**
 * @template {keyof Elements} Id
 * @param {Id} id
 */
export const $ = (id) => /** @type {Elements[Id]} */ (document.getElementById(id));

/**
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export const all = (selector) => [...document.querySelectorAll(selector)].map((element) => /** @type {HTMLElement} */ (element));
