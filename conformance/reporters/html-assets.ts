/** Style of the report. Colours follow the reader's preference. */
export const STYLE = `
:root{color-scheme:light dark;--fg:#1c1c1e;--bg:#fff;--dim:#6b6b70;--line:#d8d8dc;--soft:#f4f4f6;--good:#1a7f37;--bad:#c8232c;--warn:#9a6700}
@media(prefers-color-scheme:dark){:root{--fg:#e8e8ea;--bg:#161618;--dim:#98989e;--line:#38383c;--soft:#202023;--good:#4ac26b;--bad:#ff6b6b;--warn:#d4a72c}}
*{box-sizing:border-box}body{margin:0;font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg)}
header,main{max-width:1200px;margin:0 auto;padding:16px 24px}header{border-bottom:4px solid var(--line)}header.pass{border-color:var(--good)}header.fail{border-color:var(--bad)}header.incomplete{border-color:var(--warn)}
h1{margin:8px 0;font-size:28px}header.pass h1{color:var(--good)}header.fail h1{color:var(--bad)}header.incomplete h1{color:var(--warn)}h2{margin:28px 0 8px}h5{margin:12px 0 4px;color:var(--dim);font-size:13px}
p{margin:4px 0}.dim{color:var(--dim)}.right{margin-left:auto;font-size:13px;white-space:nowrap}.bad{color:var(--bad)}.good{color:var(--good)}
.badge{display:inline-block;min-width:44px;text-align:center;padding:0 6px;border-radius:4px;font-size:12px;color:#fff;background:#6b6b70}.badge.pass,.badge.pass-alternative{background:#1a7f37}.badge.fail{background:#c8232c}.badge.error{background:#8250df}.badge.warn,.badge.known{background:#9a6700}
.filters{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:12px;align-items:center;padding:8px 0;background:var(--bg);border-bottom:1px solid var(--line)}.filters label{display:flex;gap:4px;align-items:center}.filters input[type=search]{width:220px}.shown{color:var(--dim);font-size:13px}
details.check{scroll-margin-top:96px}details.check{border-bottom:1px solid var(--line)}details.check>summary{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap;padding:6px 0;cursor:pointer}.title{order:1;flex-basis:100%;color:var(--dim);padding-left:54px}.body{padding:0 0 12px 54px}blockquote{margin:4px 0 8px;padding-left:12px;border-left:3px solid var(--line)}
pre{margin:4px 0;padding:8px;background:var(--soft);border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.45 ui-monospace,monospace;max-height:480px;overflow:auto}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:16px}@media(max-width:800px){.sides{grid-template-columns:1fr}}.side{min-width:0}
.exchange{border:1px solid var(--line);border-radius:4px;margin:4px 0;padding:4px 8px}.exchange summary{cursor:pointer;overflow-wrap:anywhere}.time{color:var(--dim);font:12px ui-monospace,monospace}.headers{font:12px/1.5 ui-monospace,monospace;color:var(--dim);overflow-wrap:anywhere}
.piece{display:grid;grid-template-columns:64px 1fr;gap:8px;align-items:start}.piece pre{margin:2px 0}.ended{color:var(--warn)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:4px 8px;border-bottom:1px solid var(--line)}a{color:inherit}.skips li{margin:4px 0}[hidden]{display:none!important}
header,main{overflow-wrap:break-word}.url,.headers,code{overflow-wrap:anywhere}
details.check>summary::before,.exchange>summary::before{content:'▸';color:var(--dim);width:12px;flex:none;display:inline-block}details[open].check>summary::before,details[open].exchange>summary::before{content:'▾'}summary{list-style:none}summary::-webkit-details-marker{display:none}details.check>summary:hover,.groups a:hover{background:var(--soft)}summary:focus-visible,a:focus-visible{outline:2px solid var(--warn);outline-offset:1px}
.groups{list-style:none;padding:0;margin:12px 0}.groups li{display:flex;gap:8px;align-items:baseline;padding:3px 0}.groups a{text-decoration:none;flex:1;min-width:0}.follows{display:block;font-size:13px}.coverage{font-size:16px}
.map{display:flex;flex-wrap:wrap;gap:3px;margin:12px 0}.tile{font:11px ui-monospace,monospace;padding:2px 5px;border-radius:3px;text-decoration:none;background:var(--soft);color:var(--dim)}.tile.pass{background:#1a7f37;color:#fff}.tile.fail{background:#c8232c;color:#fff}.tile.error{background:#8250df;color:#fff}.tile.warn{background:#9a6700;color:#fff}
.timeline{position:relative;height:34px;margin:8px 0;border-bottom:2px solid var(--line)}.timeline i{position:absolute;bottom:0;width:2px;height:14px;background:var(--fg)}.timeline i.head{height:8px;background:var(--dim)}.timeline i.quiet{background:var(--warn)}.timeline i.done{height:20px;background:var(--good)}.timeline .time{position:absolute;top:0}.timeline .right{right:0}
.steps{list-style:none;margin:8px 0;padding:0;font:13px/1.5 ui-monospace,monospace}.steps li{position:relative;display:flex;gap:12px;padding:1px 0 1px 20px}.steps li::before{content:'';position:absolute;left:6px;top:0;bottom:0;border-left:2px solid var(--line)}.steps li::after{content:'';position:absolute;left:3px;top:8px;width:8px;height:8px;border-radius:4px;background:var(--dim)}.steps .time{flex:none;width:64px;text-align:right}.steps .finish::after,.steps .final::after,.steps .done::after,.steps .end::after{background:var(--good)}.steps .calls::after{background:var(--warn)}.steps .wrong{color:var(--bad)}.steps .wrong::after{background:var(--bad)}.steps .comment{color:var(--dim)}
@media(max-width:800px){table{display:block;overflow-x:auto}.right{white-space:normal}.title,.body{padding-left:0}.piece{grid-template-columns:1fr}.filters{position:static}}
`;

/** Filters of the report. Works on attributes only; writes only text. */
export const SCRIPT = `
const form = document.querySelector('.filters');
const rows = [...document.querySelectorAll('details.check')];
const shown = document.querySelector('.shown');
function apply() {
  const data = new FormData(form);
  const verdicts = data.getAll('verdict');
  const level = data.get('level');
  const words = String(data.get('find')).toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const fits = verdicts.includes(row.dataset.verdict) && (!level || row.dataset.level === level)
      && words.every((word) => row.dataset.text.includes(word));
    row.hidden = !fits;
    if (fits) count++;
  }
  shown.textContent = count + ' of ' + rows.length;
}
form.addEventListener('input', apply);
form.addEventListener('submit', (event) => event.preventDefault());
for (const link of document.querySelectorAll('[data-requirement]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    form.elements.find.value = link.dataset.requirement;
    apply();
    form.scrollIntoView();
  });
}
for (const link of document.querySelectorAll('[data-open]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    form.reset();
    apply();
    const wanted = link.dataset.open.split(' ').map((id) => document.getElementById('check-' + id)).filter(Boolean);
    for (const row of wanted) row.open = true;
    wanted[0]?.scrollIntoView({ block: 'start' });
    wanted[0]?.querySelector('summary').focus();
  });
}
apply();
`;
