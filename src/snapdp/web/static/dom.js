/**
 * Elements as plain calls, and a tree brought to the shape of another one.
 *
 * A view makes its whole tree afresh; `bring` changes what is on the page only where the two differ. So an element
 * stays the same element, a field that is being typed in keeps its focus and its text, and what is unfolded stays so.
 * A field that is only looked at follows, also under the cursor; one that was typed in follows when it is left.
 */

const HEARD = ["click", "input", "change", "keydown", "focusin", "submit", "pointerdown"];
const OF_THE_PERSON = new Set(["open", "aria-invalid", "style"]); // attributes that no view decides

/**
 * Return an element. `on` holds what listens, `key` says which of its siblings it is, `html` is text of the server's
 * own making; every other name is an attribute, and false or null leaves it out.
 */
export function h(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  const { on, key, html, style, value, checked, ...attributes } = given;
  for (const [name, each] of Object.entries(attributes).filter(([, each]) => isSaid(each))) {
    made.setAttribute(name, each === true ? "" : String(each));
  }
  if (on) made.on = on;
  if (key !== undefined) made.key = key;
  if (style) Object.assign(made.style, style);
  if (html !== undefined) {
    made.html = html;
    made.innerHTML = html;
  }
  made.append(...children.flat(Infinity).filter(isSaid));
  if (value !== undefined) made.value = value;
  if (checked !== undefined) made.checked = checked;
  return made;
}

const isSaid = (each) => each !== false && each !== null && each !== undefined;

/** Bring what a place on the page holds to the shape of a new tree. */
export function bring(place, ...fresh) {
  const holder = document.createElement(place.localName);
  holder.append(...fresh.flat(Infinity).filter(isSaid));
  bringChildren(place, holder);
}

function bringElement(old, fresh) {
  old.on = fresh.on;
  bringAttributes(old, fresh);
  if (fresh.html !== undefined) {
    if (old.html !== fresh.html) old.innerHTML = fresh.html;
    old.html = fresh.html;
  } else {
    bringChildren(old, fresh);
  }
  bringValue(old, fresh);
}

function bringAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !OF_THE_PERSON.has(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (!OF_THE_PERSON.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.style.cssText !== fresh.style.cssText) old.style.cssText = fresh.style.cssText;
}

function bringValue(old, fresh) {
  if (old.localName === "select") {
    if (old.value !== fresh.value) old.value = fresh.value;
  } else if (old.type === "checkbox" || old.type === "radio") {
    old.checked = fresh.checked;
  } else if (old.localName === "input" || old.localName === "textarea") {
    old.wanted = fresh.value;
    if (!isBeingTyped(old)) follow(old);
  }
}

const isBeingTyped = (field) => field.isEdited && field === document.activeElement && !field.readOnly;

/** Let a field show what its view wants; what was selected whole stays so. */
function follow(field) {
  if (field.wanted === undefined || field.type === "file" || field.value === field.wanted) return;
  const isWhole = field === document.activeElement && field.selectionEnd - field.selectionStart === field.value.length;
  field.value = field.wanted;
  if (isWhole && field.type === "text") field.select();
}

function bringChildren(old, fresh) {
  const keyed = new Map([...old.children].filter((each) => each.key !== undefined).map((each) => [each.key, each]));
  let place = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const found = next.key !== undefined ? keyed.get(next.key) : place;
    if (!found || !isAlike(found, next)) {
      old.insertBefore(next, place);
      continue;
    }
    if (found === place) place = place.nextSibling;
    else old.insertBefore(found, place);
    if (next.nodeType === Node.ELEMENT_NODE) bringElement(found, next);
    else if (found.data !== next.data) found.data = next.data;
  }
  while (place) {
    const after = place.nextSibling;
    place.remove();
    place = after;
  }
}

function isAlike(one, other) {
  return one.nodeName === other.nodeName && one.key === other.key && one.type === other.type;
}

/** Let the elements below a root hear what happens to them, by their `on`. */
export function listen(root) {
  for (const type of HEARD) root.addEventListener(type, (event) => told(event, root));
  root.addEventListener("toggle", (event) => event.target.on?.toggle?.(event), true);
  root.addEventListener("focusout", ({ target }) => {
    target.isEdited = false;
    follow(target);
  });
}

function told(event, root) {
  if (event.type === "input") event.target.isEdited = true; // before anything is drawn anew
  for (let each = event.target; each && each !== root.parentNode && !event.cancelBubble; each = each.parentNode) {
    each.on?.[event.type]?.(event);
  }
}

/** Return an element of the page by its id. */
export const at = (id) => document.getElementById(id);
