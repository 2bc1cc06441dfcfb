/* app.js: answers while you type. The page works without it: the form is a
   plain form, every figure has its table. It asks the service for the part of
   the page that changes and puts it in place; it computes nothing. */

const zh = document.documentElement.lang.startsWith('zh');
const words = zh ? {
  read: '读取月份', reset: '重置', none: '没有匹配项', failed: '服务暂时没有回答；下面仍是上一个结果。',
  fix: '改正后才能看到新的结果：', search: '输入以搜索', slider: '滑块',
} : {
  read: 'Read at month', reset: 'reset', none: 'Nothing matches',
  failed: 'The service did not answer; the result below is the last one.',
  fix: 'Change this to see a new result:', search: 'Type to search', slider: 'slider',
};

const main = document.querySelector('main');
const $ = (selector, root = main) => root.querySelector(selector);
const $$ = (selector, root = main) => [...root.querySelectorAll(selector)];
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/* ---- what people type --------------------------------------------------- */

/* The service takes plain decimals only; people type 1,000 and 30 % and
   full-width digits and currency signs. What is not clear stays as it is, so
   that the service says so. */
export function tidy(text, unit = '') {
  let plain = text.normalize('NFKC').trim().replace(/[\u2212\u2013]/g, '-');
  if (unit && plain.toLowerCase().endsWith(unit.toLowerCase())) plain = plain.slice(0, -unit.length);
  plain = plain.replace(/^[-+]?\s*(?:[$€£¥₹₩]|[A-Z]{3}(?=[\s\d]))\s*/, (sign) => (sign.startsWith('-') ? '-' : ''))
    .replace(/\s*(?:[$€£¥₹₩]|(?<=[\d\s])[A-Z]{3})$/, '').replace(/\s+%$/, '%').trim();
  if (/^-?\d{1,3}(?:[,\s'’]\d{3})+(?:\.\d+)?%?$/.test(plain)) plain = plain.replace(/[,\s'’]/g, '');
  return plain;
}

const isNumber = (control) => ['decimal', 'numeric'].includes(control.inputMode);

function unitOf(control) {
  const unit = control.closest('.field')?.querySelector('label .unit');
  return unit ? unit.textContent.trim() : '';
}

function query() {
  const pairs = new URLSearchParams();
  for (const control of form().elements) {
    if (!control.name || control.disabled || !control.value) continue;
    if (control.type === 'checkbox' && !control.checked) continue;
    pairs.append(control.name, isNumber(control) ? tidy(control.value, unitOf(control)) : control.value.trim());
  }
  return pairs;
}

/* ---- asking ---------------------------------------------------------------- */

const form = () => document.getElementById('form');
const live = make('p', { class: 'aside', 'aria-live': 'polite', id: 'live' });
let asked = 0, waiting = null, timer = 0, spoken = 0, open = false;

function speak(text) {
  clearTimeout(spoken);
  spoken = setTimeout(() => { if (live.textContent !== text) live.textContent = text; }, 900);
}

function busy(on) {
  clearTimeout(timer);
  const show = () => { main.classList.toggle('busy', on); main.setAttribute('aria-busy', String(on)); };
  if (on) timer = setTimeout(show, 150); else show();
}

/* Only the newest question counts: an earlier one is given up, and its answer
   dropped should it still come. */
async function fetchPart(search) {
  const turn = ++asked;
  waiting?.abort();
  waiting = new AbortController();
  busy(true);
  try {
    const answer = await fetch('/compare.fragment' + (String(search) && '?') + search, { signal: waiting.signal });
    const text = await answer.text();
    if (turn !== asked) return null;
    busy(false);
    if (answer.status !== 200 && answer.status !== 400) throw new Error(answer.status);
    const part = new DOMParser().parseFromString(text, 'text/html').body.firstElementChild;
    return { good: answer.status === 200, part };
  } catch (error) {
    if (turn !== asked || error.name === 'AbortError') return null;
    busy(false);
    notice(words.failed);
    return null;
  }
}

function notice(text) {
  let line = $('.notice');
  if (!text) { line?.remove(); return; }
  if (!line) $('.say').prepend(line = make('p', { class: 'notice' }));
  line.textContent = text;
  main.classList.add('old');
  speak(text);
}

/* step: the change is done (a field left, a list chosen), not half typed. */
async function ask(step) {
  const got = await fetchPart(query());
  if (!got) return;
  if (!got.good) {
    const first = got.part.querySelector('.summary li');
    if (step) syncForm(got.part.querySelector('form'));
    notice(words.fix + ' ' + (first ? first.textContent : ''));
    return;
  }
  place(got.part, false);
  remember(got.part, step);
}

/* The address is the study. One entry of the history a finished change: the
   first keystroke makes it, those after it and the end replace it. */
function remember(part, step) {
  const address = new URL(part.dataset.address, location);
  const path = address.pathname + address.search;
  document.title = part.dataset.title;
  if (path !== location.pathname + location.search) {
    if (open) history.replaceState(null, '', path); else history.pushState(null, '', path);
    open = true;
  }
  if (step) open = false;
  const link = document.querySelector('.lang');
  if (link) {
    if (zh) address.searchParams.delete('lang'); else address.searchParams.set('lang', 'zh');
    link.href = address.pathname + address.search;
  }
}

/* ---- putting the answer in place --------------------------------------------- */

function openDetails(root) {
  return new Set($$('details[open]', root).map((each) => nameOf(each, root)));
}

function nameOf(details, root) {
  return $$('details', root).indexOf(details) + ':' + (details.id || details.querySelector('summary').textContent);
}

function swap(selector, part) {
  const before = $(selector), after = part.querySelector(selector);
  const shown = openDetails(before);
  for (const details of $$('details', after)) if (shown.has(nameOf(details, after))) details.open = true;
  before.replaceWith(after);
}

/* whole: the form comes from elsewhere (Back, Forward) and replaces ours. */
function place(part, whole) {
  const old = form(), top = old.getBoundingClientRect().top;
  const typing = old.contains(document.activeElement);
  main.className = main.className.replace(/\b(start|broken|old)\b/g, '').trim() + ' result';
  swap('.say', part);
  swap('.rest', part);
  const next = part.querySelector('form');
  if (whole) replaceForm(next); else syncForm(next);
  enhance();
  if (typing) scrollBy(0, form().getBoundingClientRect().top - top);
  const said = $('.say h1').textContent;
  $('.brief').textContent = said;
  speak(said);
}

const named = (root) => $$('[name]', root).filter((each) => each.type !== 'hidden');

/* Presets, marks and messages follow the answer; what is being typed and the
   place of the cursor are left alone. */
function syncForm(next) {
  const now = form(), old = named(now), fresh = named(next);
  if (old.length !== fresh.length || old.some((each, i) => each.name !== fresh[i].name)) {
    replaceForm(next);
    return;
  }
  old.forEach((control, i) => {
    const mine = control.closest('.field'), other = fresh[i].closest('.field');
    if (control.tagName === 'SELECT') {
      if (control.options[0].textContent !== fresh[i].options[0].textContent)
        control.options[0].textContent = fresh[i].options[0].textContent;
      control.dispatchEvent(new Event('sync'));
    } else {
      control.placeholder = fresh[i].placeholder;
    }
    for (const selector of ['.mark', '.error']) {
      const a = mine.querySelector(selector), b = other.querySelector(selector);
      if (a && b) a.replaceWith(b); else if (a) a.remove();
      else if (b) mine.insertBefore(b, selector === '.mark' ? mine.querySelector('label').nextSibling
        : mine.querySelector('.box, input, select'));
    }
    mine.classList.toggle('bad', other.classList.contains('bad'));
  });
  for (const selector of ['legend', '.acts']) {
    const b = $$(selector, next);
    $$(selector, now).forEach((a, i) => { if (b[i]) a.innerHTML = b[i].innerHTML; });
  }
  marks();
}

/* The answer's form brings no long lists; they come from the old form, or,
   when that has none of the kind, from the whole page. */
async function fillLists(next) {
  const missing = [];
  for (const select of $$('select[data-list]', next)) {
    const from = $$('select[data-list]', form()).find((each) => each.dataset.list === select.dataset.list);
    if (!from || from.options.length < 3) { missing.push(select); continue; }
    const { value } = select, rest = [...from.children].slice(1).map((each) => each.cloneNode(true));
    select.replaceChildren(select.children[0], ...rest);
    if (value && ![...select.options].some((each) => each.value === value)) select.append(new Option(value, value));
    select.value = value;
  }
  for (const list of $$('datalist')) if (!$('#' + list.id, next)) next.append(list.cloneNode(true));
  if (!missing.length) return;
  const page = await fetch('/compare.html?' + query());
  const whole = new DOMParser().parseFromString(await page.text(), 'text/html');
  for (const select of missing) {
    const from = whole.getElementById(select.id);
    if (from) select.replaceChildren(...from.children);
  }
}

async function replaceForm(next) {
  await fillLists(next);
  const now = form(), id = document.activeElement?.id, scrolled = now.scrollTop;
  const selection = document.activeElement?.selectionStart;
  const shown = openDetails(now);
  for (const details of $$('details', next)) if (shown.has(nameOf(details, next))) details.open = true;
  now.replaceWith(next);
  enhance();
  next.scrollTop = scrolled;
  const again = id && document.getElementById(id);
  if (again && next.contains(again)) {
    again.focus({ preventScroll: true });
    try { again.setSelectionRange(selection, selection); } catch { /* not a text field */ }
  }
}

/* ---- additions to controls ------------------------------------------------------ */

const LONG = 12; // options a list may have before it gets a search field

function enhance() {
  for (const select of $$('select:not([data-combo])', form()))
    if (select.options.length > LONG) combobox(select);
  for (const control of $$('[data-slider]', form())) slider(control);
  if (!$('.brief')) {
    const said = main.classList.contains('result') && $('.cards') ? $('.say h1').textContent : '';
    $('.go', form()).prepend(make('span', { class: 'brief', 'aria-hidden': 'true' }, said));
  }
  marks();
  readout();
}

function marks() {
  for (const mark of $$('.mark.typed', form())) {
    if (mark.querySelector('button')) continue;
    const label = mark.closest('.field').querySelector('label').firstChild.textContent;
    mark.append(' ', make('button', { type: 'button', class: 'reset', 'aria-label': `${words.reset}: ${label}` }, words.reset));
  }
}

function slider(control) {
  const [min, max, step, percent] = control.dataset.slider.split(' ');
  const label = control.closest('.field').querySelector('label').firstChild.textContent;
  const range = make('input', { type: 'range', min, max, step, 'aria-label': `${label}, ${words.slider}` });
  const follow = () => {
    const text = tidy(control.value || control.placeholder);
    const value = percent && !text.endsWith('%') ? parseFloat(text) * 100 : parseFloat(text);
    if (Number.isFinite(value)) range.value = value;
  };
  delete control.dataset.slider;
  range.addEventListener('input', () => { control.value = range.value + (percent || ''); later(); });
  range.addEventListener('change', () => now(control));
  control.addEventListener('input', follow);
  follow();
  control.after(range);
}

/* A long list becomes a text field that narrows it down; the list itself stays
   and holds the value. */
function combobox(select) {
  const id = select.id, list = make('ul', { role: 'listbox', id: id + '-list', hidden: '' });
  const input = make('input', {
    type: 'text', role: 'combobox', id, autocomplete: 'off', spellcheck: 'false', 'aria-expanded': 'false',
    'aria-autocomplete': 'list', 'aria-controls': id + '-list', placeholder: words.search,
  });
  const label = select.closest('.field').querySelector('label').firstChild.textContent;
  list.setAttribute('aria-label', label);
  if (select.hasAttribute('aria-describedby')) input.setAttribute('aria-describedby', select.getAttribute('aria-describedby'));
  if (select.hasAttribute('aria-invalid')) input.setAttribute('aria-invalid', 'true');
  let active = -1, shown = [];
  const text = () => select.selectedOptions[0]?.textContent || '';
  const close = () => { list.hidden = true; active = -1; input.setAttribute('aria-expanded', 'false'); input.removeAttribute('aria-activedescendant'); };
  const mark = (next) => {
    active = Math.max(0, Math.min(shown.length - 1, next));
    $$('[role=option]', list).forEach((each, i) => each.setAttribute('aria-selected', String(i === active)));
    const item = list.querySelectorAll('[role=option]')[active];
    if (item) { input.setAttribute('aria-activedescendant', item.id); item.scrollIntoView({ block: 'nearest' }); }
  };
  const fill = (typed) => {
    const parts = typed.normalize('NFKC').toLowerCase().split(/[\s,/]+/).filter(Boolean);
    shown = [...select.options].filter((option) => {
      const hay = `${option.parentNode.label || ''} ${option.textContent} ${option.value}`.toLowerCase();
      return parts.every((each) => hay.includes(each));
    }).slice(0, 80);
    list.replaceChildren();
    let group = null;
    shown.forEach((option, i) => {
      const title = option.parentNode.label || '';
      if (title !== group && title) list.append(make('li', { role: 'presentation', class: 'group' }, title));
      group = title;
      list.append(make('li', { role: 'option', id: `${id}-${i}`, 'aria-selected': 'false' }, option.textContent));
    });
    if (!shown.length) list.append(make('li', { role: 'presentation', class: 'group' }, words.none));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    list.scrollIntoView({ block: 'nearest' });
  };
  const choose = (option) => {
    close();
    if (option && option.value !== select.value) { select.value = option.value; now(select); }
    input.value = text();
  };
  const all = () => { fill(''); mark(shown.indexOf(select.selectedOptions[0])); };
  input.value = text();
  input.addEventListener('focus', () => input.select());
  input.addEventListener('click', () => { if (list.hidden) all(); });
  input.addEventListener('input', (event) => { event.stopPropagation(); fill(input.value); mark(0); });
  input.addEventListener('change', (event) => event.stopPropagation());
  input.addEventListener('blur', () => { close(); input.value = text(); });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (list.hidden) all(); else mark(active + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter' && !list.hidden) {
      event.preventDefault();
      choose(shown[active]);
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      close();
      input.value = text();
    }
  });
  list.addEventListener('mousedown', (event) => {
    event.preventDefault();
    const item = event.target.closest('[role=option]');
    if (item) choose(shown[$$('[role=option]', list).indexOf(item)]);
  });
  select.addEventListener('sync', () => { if (document.activeElement !== input) input.value = text(); });
  select.dataset.combo = '';
  select.id = id + '-select';
  select.hidden = true;
  select.removeAttribute('aria-describedby');
  select.after(make('div', { class: 'box' }, input, list));
}

/* ---- a readout of the first figure, by pointer or arrow keys ----------------------- */

function readout() {
  const figure = document.getElementById('fig-cumulative');
  if (!figure || figure.querySelector('.reader')) return;
  const plot = $('.plot', figure), rows = $$('tbody tr', figure);
  const heads = $$('thead th', figure).map((each) => each.textContent);
  const line = make('div', { class: 'read', hidden: '' }), says = make('div', { class: 'says', hidden: '', 'aria-hidden': 'true' });
  const range = make('input', { type: 'range', class: 'reader', min: 0, max: rows.length - 1, value: 0, 'aria-label': words.read });
  const places = () => {
    const svg = $$('svg', plot).find((each) => each.clientWidth > 0);
    const scale = svg.clientWidth / svg.viewBox.baseVal.width;
    return svg.querySelector('.oa').getAttribute('d').slice(1).split('L').map((pair) => parseFloat(pair) * scale);
  };
  const show = (i) => {
    const at = places()[i], cells = [...rows[i].cells].map((each) => each.textContent);
    const text = cells.map((each, k) => `${heads[k]} ${each}`);
    says.replaceChildren(...text.map((each) => make('div', {}, each)));
    line.hidden = says.hidden = false;
    line.style.left = at + 'px';
    const left = at + says.offsetWidth + 16 < plot.clientWidth;
    says.style.left = (left ? at + 10 : at - says.offsetWidth - 10) + 'px';
    range.value = i;
    range.setAttribute('aria-valuetext', text.join(', '));
  };
  const hide = () => { line.hidden = says.hidden = true; };
  plot.append(line, says);
  plot.after(range);
  plot.addEventListener('pointermove', (event) => {
    const x = event.clientX - plot.getBoundingClientRect().left;
    let best = 0;
    places().forEach((each, i, all) => { if (Math.abs(each - x) < Math.abs(all[best] - x)) best = i; });
    show(best);
  });
  plot.addEventListener('pointerleave', () => { if (document.activeElement !== range) hide(); });
  range.addEventListener('input', (event) => { event.stopPropagation(); show(Number(range.value)); });
  range.addEventListener('focus', () => show(Number(range.value)));
  range.addEventListener('blur', hide);
  range.addEventListener('keydown', (event) => { if (event.key === 'Escape') range.blur(); });
}

/* ---- events ------------------------------------------------------------------------- */

/* The first keystroke after a rest asks at once, those that follow on its
   heels are gathered. */
const REST = 90;
let pause = 0, last = 0;
function later() {
  const rested = performance.now() - last > REST;
  last = performance.now();
  clearTimeout(pause);
  pause = setTimeout(() => ask(false), rested ? 0 : REST);
}

/* Another kind of option has other fields: what was typed for the old one
   goes. */
const declared = /^[a-f]\.(gpu|gpu_count|server|machine_count|provider|instance|region|term|payment)$/;
function clearCard(select) {
  const card = select.closest('fieldset');
  if (!card) return;
  const kind = select.value ? select.value.split('/')[0] : select.name === 'a' ? 'own' : 'rent';
  for (const control of card.querySelectorAll('[name]'))
    if (control !== select && (!card.classList.contains(kind) || declared.test(control.name))) {
      control.value = '';
      control.dispatchEvent(new Event('sync'));
    }
}

function now(control) {
  clearTimeout(pause);
  if (/^[a-f]$/.test(control.name)) clearCard(control);
  ask(true);
}

main.addEventListener('input', (event) => { if (event.target.form === form() && event.target.name && event.target.type === 'text') later(); });
main.addEventListener('change', (event) => { if (event.target.form === form() && event.target.name) now(event.target); });
main.addEventListener('submit', (event) => { if (event.target !== form()) return; event.preventDefault(); location.assign('/compare?' + query()); });
main.addEventListener('click', (event) => {
  const reset = event.target.closest('.reset');
  if (!reset) return;
  const control = reset.closest('.field').querySelector('[name]');
  control.value = '';
  control.dispatchEvent(new Event('sync'));
  (control.hidden ? reset.closest('.field').querySelector('.box input') : control).focus();
  now(control);
});
/* From what matters, in words or as a bar, to its input. */
main.addEventListener('click', (event) => {
  const bar = event.target.closest('svg [data-key]'), link = event.target.closest('a[href^="#f-"]');
  const key = bar?.dataset.key;
  const control = link ? document.getElementById(link.hash.slice(1))
    : bar && (document.getElementById('f-' + key) || document.getElementById('f-' + key.replace(/^[a-f]\./, '')));
  if (!control) return;
  event.preventDefault();
  for (let each = control.closest('details'); each; each = each.parentElement.closest('details')) each.open = true;
  control.focus();
});
/* A figure's formula and sources, without leaving the page. */
main.addEventListener('click', async (event) => {
  const figure = event.target.closest('td a[href$="#why"]');
  if (!figure || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const got = await fetchPart(figure.search.slice(1));
  if (!got || !got.good) return;
  place(got.part, false);
  remember(got.part, true);
  const why = document.getElementById('why');
  why.tabIndex = -1;
  why.focus();
});
addEventListener('popstate', async () => {
  if (location.pathname !== '/compare') { location.reload(); return; }
  const got = await fetchPart(location.search.slice(1));
  if (!got) return;
  if (!got.good) { location.reload(); return; }
  place(got.part, true);
  open = false;
  document.title = got.part.dataset.title;
});

/* ---- start ---------------------------------------------------------------------------- */

/* The start page asks for the usual answer at once and keeps its cases below. */
async function begin() {
  const cases = $('.rest');
  const got = await fetchPart(query());
  if (!got || !got.good) return;
  const kept = [...cases.children];
  place(got.part, false);
  $('.rest').append(...kept);
}

if (form()) {
  document.body.append(live);
  enhance();
  if (main.classList.contains('start')) begin();
}
