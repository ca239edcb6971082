// The script of a report's page: filters that stand in the address, and the keyboard. It works on attributes, and writes
// only text.
const form = document.querySelector('.filters');
const rows = [...document.querySelectorAll('.result')];
const groups = [...document.querySelectorAll('.group')];

/** What the address says, behind `#`. */
const asked = () => new URLSearchParams(location.hash.slice(1));

function keep(change) {
  const params = asked();
  for (const [name, value] of Object.entries(change)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  history.replaceState(null, '', params.size > 0 ? `#${params}` : location.pathname + location.search);
}

function apply() {
  const data = new FormData(form);
  const verdicts = data.getAll('verdict');
  const level = data.get('level');
  const words = String(data.get('find')).toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const { verdict, level: at, text } = row.dataset;
    const fits = verdicts.includes(verdict) && (!level || at === level) && words.every((word) => text.includes(word));
    row.hidden = !fits;
    if (fits) count++;
  }
  for (const group of groups) {
    group.hidden = group.querySelector('.result:not([hidden])') === null;
    // What is searched for stands in sight.
    if (group.matches('.fold') && words.length > 0) group.open = true;
  }
  document.querySelector('.shown').textContent = `${count} of ${rows.length}`;
  const all = form.querySelectorAll('[name=verdict]').length;
  keep({ verdict: verdicts.length === all ? '' : verdicts.join(',') || 'none', level, find: String(data.get('find')) });
}

/** Where JSON, addresses and headers may be broken, so that no word in them is. */
const JOINTS = /(?<=[,:;{}[\]()/=?&.|>])(?=[\w"{[<])|(?=\\)/;

/** Makes what stands as text behind a result part of the page. It is markup of the report, in which every value is escaped. */
function unfold(row) {
  for (const text of row.querySelectorAll('script.later')) {
    const content = document.createElement('template');
    content.innerHTML = text.textContent;
    text.replaceWith(content.content);
  }
}

/** Lets texts be broken between their parts: of what is seen alone, as all of a report would take long. */
function breakTexts(row) {
  if (row.dataset.broken) return;
  row.dataset.broken = 'true';
  for (const element of row.querySelectorAll('pre:not(.copy), .url, .headers, .steps')) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      const [first, ...others] = text.data.split(JOINTS);
      if (others.length === 0) continue;
      const parts = [first, ...others.flatMap((part) => [document.createElement('wbr'), part])];
      text.replaceWith(...parts);
    }
  }
}

/** Sets the filters as the address says. */
function restore() {
  const params = asked();
  const verdicts = params.get('verdict')?.split(',');
  for (const box of form.querySelectorAll('[name=verdict]')) box.checked = verdicts?.includes(box.value) ?? true;
  form.elements.level.value = params.get('level') ?? '';
  form.elements.find.value = params.get('find') ?? '';
  apply();
  const wanted = document.getElementById(`check-${params.get('open')}`);
  if (wanted) reveal(wanted);
  else showFirst();
}

/** Opens the first finding, with nothing of that in the address. */
function showFirst() {
  const group = document.querySelector('#wrong .group:not([hidden])');
  const row = group?.querySelector('.result:not([hidden])');
  if (!row || document.querySelector('.result[open]')) return;
  row.dataset.first = 'true';
  row.open = true;
  group.open = true;
}

function reveal(row) {
  row.hidden = false;
  for (let group = row.closest('.group'); group; group = group.parentElement.closest('.group')) {
    group.hidden = false;
    group.open = true;
  }
  row.open = true;
  row.scrollIntoView({ block: 'start' });
  row.querySelector('summary').focus({ preventScroll: true });
}

function search(text) {
  form.reset();
  form.elements.find.value = text;
  apply();
  form.scrollIntoView();
}

/** The summaries that can be seen, in their order. */
const stops = () =>
  [...document.querySelectorAll('.group > summary, .result > summary')].filter((one) => one.checkVisibility());

function move(by) {
  const all = stops();
  const at = all.indexOf(document.activeElement);
  const next = all[at === -1 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function onKey(event) {
  const typing = event.target.matches('input[type=search], select');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape' && typing) search('');
  if (typing) return;
  if (event.key === '/') {
    event.preventDefault();
    form.elements.find.focus();
  } else if (event.key === 'j') move(1);
  else if (event.key === 'k') move(-1);
}

if (form) {
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  addEventListener('hashchange', restore);
  addEventListener('keydown', onKey);
  for (const row of rows)
    row.addEventListener('toggle', () => {
      if (row.open) {
        unfold(row);
        breakTexts(row);
      }
      const { first } = row.dataset;
      delete row.dataset.first;
      if (first) return;
      if (row.open) keep({ open: row.id.slice('check-'.length) });
      else if (asked().get('open') === row.id.slice('check-'.length)) keep({ open: '' });
    });
  // A group of one opens at once to what there is to see.
  for (const group of groups.filter((one) => !one.matches('.fold')))
    group.addEventListener('toggle', () => {
      const first = group.querySelector('.result');
      if (group.open && first && !group.querySelector('.result[open]')) first.open = true;
    });
  restore();
}
