// The table of legs of a noisy maze, found by several workers, each for some of the policies.
import { isExact } from "./engine/answers.js";
import { bestLegs, joined } from "./engine/legtable.js";
import { makeRoom } from "./engine/room.js";
/** @import { BestLegs, Memory, Scene } from "./types" */

const WORTH_SHARING = 150; // states; smaller tables take less time than the messages

// Puts the table into the memory, unless it is there or need not be shared.
/** @param {Scene} scene @param {Memory} memory @param {MessagePort[]} helpers */
export async function shareTable(scene, memory, helpers) {
  if (!helpers.length || !isExact(scene) || memory.has("table", scene)) return;
  const room = makeRoom(scene), policies = [...room.actions.keys()], begin = performance.now();
  if (room.count < WORTH_SHARING) return;
  const each = Math.ceil(policies.length / (helpers.length + 1));
  /** @param {number} i */
  const share = (i) => policies.slice(i * each, (i + 1) * each);
  const parts = helpers.flatMap((helper, i) => (share(i + 1).length ? [askHelper(helper, scene, share(i + 1))] : []));
  const own = bestLegs(room, share(0)), table = joined([own, ...(await Promise.all(parts))], room.count);
  memory.remembered("table", scene, () => ({ table, took: performance.now() - begin }));
}

/** @param {MessagePort} helper @param {Scene} scene @param {number[]} policies @returns {Promise<BestLegs>} */
function askHelper(helper, scene, policies) {
  return new Promise((resolve) => {
    helper.onmessage = ({ data }) => resolve(data);
    helper.postMessage({ scene, policies });
  });
}
