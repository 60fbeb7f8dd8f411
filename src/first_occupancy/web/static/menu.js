// The menu of downloads.
const $ = (id) => document.getElementById(id);

export function showMenu(shown) {
  const held = $("downloads").contains(document.activeElement);
  $("downloads").hidden = !shown;
  $("download").setAttribute("aria-expanded", String(shown));
  if (shown) $("downloads").querySelector("button").focus();
  else if (held) $("download").focus();
}

export function wireMenu(choose) {
  $("download").addEventListener("click", () => showMenu($("downloads").hidden));
  addEventListener("pointerdown", (event) => { if (!event.target.closest(".menu")) showMenu(false); });
  // Not with null: some browsers focus nothing when a button is clicked.
  $("downloads").addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !relatedTarget.closest(".menu")) showMenu(false); });
  $("downloads").addEventListener("click", (event) => {
    const button = event.target.closest("[data-export]");
    if (!button) return;
    showMenu(false);
    choose(button.dataset.export);
  });
}
