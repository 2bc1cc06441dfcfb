/* test_page.mjs: the page in a browser, as a picky reader tries it. The
   numbers are those of the acceptance points for the page. Started by
   test_page.sh, which brings the address and the packages. */
import { chromium } from 'playwright-core';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

const require = createRequire(import.meta.url);
const base = process.env.BASE, port = Number(process.env.DEBUG_PORT);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', `--remote-debugging-port=${port}`],
});
let passed = 0, failed = 0;
const foreign = [];

/* One named check; what it throws or returns as text is the reason. With ONLY
   set, those whose name holds it. */
async function check(name, run) {
  if (!name.includes(process.env.ONLY || '')) return;
  try {
    const why = await run();
    if (why) throw new Error(why);
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}: ${String(error.message || error).slice(0, 900)}`);
  }
}
/* Times are printed beside their goal and not judged: what else the machine
   does would decide. */
function inTime(what, took, most) {
  console.log(`  ${what}: ${took.toFixed(0)} ms, goal ${most}, load ${loadavg()[0].toFixed(1)}`);
  return '';
}
const same = (got, want) => (got === want ? '' : `${got}, not ${want}`);

async function open(path, options = {}) {
  const { before, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...rest });
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(String(error)));
  page.on('console', (line) => { if (line.type() === 'error' && !/status of 400/.test(line.text())) page.problems.push(line.text()); });
  page.on('request', (request) => { if (!request.url().startsWith(base)) foreign.push(request.url()); });
  if (before) await before(page);
  page.answer = await page.goto(base + path);
  return page;
}
const close = (page) => page.context().close();
const settled = (page) => page.waitForFunction(() => !document.querySelector('main').classList.contains('busy'));
const fetchText = async (path, headers = {}) => (await fetch(base + path, { headers })).text();

const six = '/compare.html?a=rent&b=own&c=own/rtx-3090/4&d=rent/lambda/gpu_8x_a100_80gb_sxm4/us-east-1/on_demand&e=own/dgx-h100&f=rent/aws/p5.48xlarge/us-east-1/on_demand';
const wrong = '/compare.html?busy_frac=abc&pue_ratio=9&a.gpu=h100x&label=keep+me';

/* ---- first contact ---- */
await check('1 start page answers by itself within a second, slow phone', async () => {
  const page = await open('/', {
    viewport: { width: 390, height: 844 }, isMobile: true,
    before: async (p) => { const cdp = await p.context().newCDPSession(p); await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await cdp.send('Network.enable');
      await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 2e5, uploadThroughput: 9e4 }); },
  });
  const took = await page.evaluate(() => new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true })));
  const date = await page.textContent('.basis time'), figure = await page.locator('#fig-cumulative svg').count();
  await close(page);
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || !figure) return 'no price date or no figure';
  return inTime('answer of the start page on screen, phone at a quarter of the speed', took, 1000);
});
await check('2 the sentence names both options, a time and money', async () => {
  const page = await open('/compare.html'), said = (await page.textContent('.say h1')) + (await page.textContent('.lead'));
  await close(page);
  return /RTX 4090/.test(said) && /p4d/.test(said) && /month \d+/.test(said) && /USD \d/.test(said) ? '' : said;
});
await check('3 without script: form, figures, files', async () => {
  const page = await open('/', { javaScriptEnabled: false });
  const start = [await page.textContent('.say h1'), await page.textContent('.basis time'), await page.locator('#fig-cumulative svg').count()];
  if (!/RTX 4090/.test(start[0]) || !/^\d{4}-\d\d-\d\d$/.test(start[1]) || !start[2]) return `start page: ${start}`;
  await page.fill('#f-busy_frac', '30%');
  await page.click('button[type=submit]');
  await page.waitForURL('**/compare?*', { waitUntil: 'load' });
  const said = await page.textContent('.say h1'), figures = await page.locator('.plot svg').count();
  const links = await page.locator('a.format, a.file').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  await close(page);
  for (const link of links) if ((await fetch(base + link)).status !== 200) return link;
  return said && figures > 4 && links.length > 4 ? '' : `${figures} figures, ${links.length} files`;
});
await check('4 a text browser reads it in order', async () => {
  let text;
  try { text = execFileSync('w3m', ['-dump', '-T', 'text/html'], { input: await fetchText('/compare.html'), encoding: 'utf8' }); } catch { return ''; }
  const order = ['is cheaper', 'USD', 'Your case', 'In figures', 'Break-even', 'Sources'].map((each) => text.indexOf(each));
  return order.every((at, i) => at >= 0 && (!i || at > order[i - 1])) ? '' : order.join(' ');
});
await check('6 weight', async () => {
  const size = (text) => gzipSync(text, { level: 9 }).length, html = await fetchText('/compare.html');
  const asset = (suffix) => html.match(new RegExp(`/[a-z]+\\.[0-9a-f]+\\.${suffix}`))[0];
  const rows = [['page', size(html), 40], ['style', size(await fetchText(asset('css'))), 10], ['script', size(await fetchText(asset('js'))), 15]];
  for (const figure of ['cumulative', 'stack', 'tornado', 'map', 'history', 'carbon'])
    for (const query of ['', '&' + six.split('?')[1]]) rows.push([figure, size(await fetchText(`/compare.svg?figure=${figure}${query}`)), 8]);
  console.log('  ' + rows.slice(0, 3).map(([name, byte]) => `${name} ${byte} B`).join(', ') + `, largest figure ${Math.max(...rows.slice(3).map((each) => each[1]))} B`);
  const over = rows.filter(([, byte, most]) => byte > most * 1000);
  const kept = (await fetch(base + asset('css'))).headers.get('cache-control') || '';
  return over.length ? JSON.stringify(over) : /immutable/.test(kept) ? '' : kept;
});

/* ---- inputs ---- */
await check('7 a change is on screen within 150 ms, no jump', async () => {
  const page = await open('/compare.html');
  await page.evaluate(() => scrollTo(0, 120));
  const times = [];
  for (let i = 0; i < 60; i++) times.push(await page.evaluate((value) => new Promise((resolve) => {
    const control = document.querySelector('#f-busy_frac ~ input[type=range]'), start = performance.now();
    new MutationObserver((changes, watch) => { watch.disconnect(); requestAnimationFrame(() => resolve(performance.now() - start)); })
      .observe(document.querySelector('main'), { childList: true });
    setTimeout(() => { control.value = value; control.dispatchEvent(new Event('input', { bubbles: true })); });
  }).then((took) => new Promise((rest) => setTimeout(() => rest(took), 120))), 20 + i));
  const scrolled = await page.evaluate(() => scrollY), address = page.url();
  await close(page);
  times.sort((a, b) => a - b);
  return scrolled !== 120 ? `scrolled to ${scrolled}` : !address.includes('busy_frac=0.79') ? address : inTime(`change to screen, median ${times[30].toFixed(0)} ms, 95th percentile`, times[56], 150);
});
await check('8 a late answer never shows after a newer one', async () => {
  const page = await open('/compare.html');
  let first = true;
  await page.route('**/compare.fragment*', async (route) => {
    if (first) { first = false; await new Promise((wait) => setTimeout(wait, 600)); }
    await route.continue().catch(() => {});
  });
  await page.fill('#f-busy_frac', '20%');
  await page.waitForTimeout(150);
  await page.fill('#f-busy_frac', '90%');
  await page.waitForTimeout(1100);
  const address = page.url();
  await close(page);
  return address.includes('busy_frac=0.9') ? '' : address;
});
await check('9 Back undoes a finished change, Forward redoes it', async () => {
  const page = await open('/compare.html');
  for (const value of ['30%', '50%']) {
    await page.fill('#f-busy_frac', value);
    await page.locator('#f-busy_frac').blur();
    await page.waitForFunction((want) => location.search.includes('busy_frac=' + want), parseInt(value, 10) / 100);
  }
  const later = await page.textContent('.cards .big');
  await page.goBack();
  await page.waitForFunction((text) => document.querySelector('.cards .big').textContent !== text, later);
  const back = page.url();
  await page.goForward();
  await page.waitForFunction((text) => document.querySelector('.cards .big').textContent === text, later);
  const value = await page.inputValue('#f-busy_frac');
  await close(page);
  return back.includes('busy_frac=0.3') && value === '0.5' ? '' : `${back} ${value}`;
});
await check('10 what people type is understood, or named beside the field', async () => {
  const page = await open('/compare.html');
  const rows = [['a.gpu_price', '1,000', '1000'], ['a.gpu_price', '１０００', '1000'], ['a.gpu_price', '1 000', '1000'], ['busy_frac', '30 %', '0.3'],
    ['a.energy_price_per_kwh', '€0.21', '0.21'], ['a.energy_price_per_kwh', 'USD 0.21', '0.21'], ['horizon_year', '4 years', '4']];
  await page.evaluate(() => document.querySelectorAll('details').forEach((each) => { each.open = true; }));
  for (const [key, typed, want] of rows) {
    await page.fill(`[name="${key}"]`, typed);
    await page.locator(`[name="${key}"]`).blur();
    await page.waitForFunction(([k, w]) => new URLSearchParams(location.search).get(k) === w, [key, want], { timeout: 3000 })
      .catch(() => { throw new Error(`${typed}: ${page.url()}`); });
  }
  for (const typed of ['abc', '1e999', 'nan', '-5']) {
    await page.fill('#f-busy_frac', typed);
    await page.locator('#f-busy_frac').blur();
    await page.waitForSelector('.field.bad .error', { timeout: 3000 }).catch(() => { throw new Error(typed); });
    await page.fill('#f-busy_frac', '30%');
    await page.locator('#f-busy_frac').blur();
    await page.waitForFunction(() => !document.querySelector('.field.bad'));
  }
  await close(page);
});
await check('11 three mistakes: three messages, focus, title, nothing cleared', async () => {
  const page = await open(wrong);
  const got = await page.evaluate(() => ({
    title: document.title.startsWith('Error: '), list: document.querySelectorAll('.summary li').length,
    beside: document.querySelectorAll('.field.bad .error').length, focus: document.activeElement.className,
    kept: document.querySelector('#f-busy_frac').value + document.querySelector('[name=label]').value,
  }));
  got.status = page.answer.status();
  await close(page);
  return same(JSON.stringify(got), JSON.stringify({ title: true, list: 3, beside: 3, focus: 'summary', kept: 'abckeep me', status: 400 }));
});
await check('12 ends of the scale give words', async () => {
  for (const query of ['busy_frac=0', 'horizon_year=0.25', 'horizon_year=15', 'b.rent_discount_frac=1', 'a.gpu_price=0&a.host_price=0&a.staff_fte=0', 'busy_frac=1&b=rent']) {
    const response = await fetch(`${base}/compare.html?${query}`), text = (await response.text()).replace(/<[^>]*>/g, ' ');
    if (response.status !== 200 || /\b(nan|inf|infinity|null|undefined)\b/i.test(text.replace(/inf[12]\.\w+/g, ''))) return query;
  }
});
await check('13 presets name their source; a changed field is marked and reset alone', async () => {
  const page = await open('/compare.html?busy_frac=0.3&horizon_year=4');
  const sourced = await page.locator('#inputs .from a').count(), marks = await page.locator('.mark.typed').count();
  await page.click('.field:has(#f-busy_frac) .reset');
  await page.waitForFunction(() => !location.search.includes('busy_frac'));
  const left = page.url();
  await close(page);
  return sourced > 40 && marks >= 2 && left.includes('horizon_year=4') ? '' : `${sourced} ${marks} ${left}`;
});
await check('14 six options at 320 px and on paper', async () => {
  const page = await open(six, { viewport: { width: 320, height: 800 } });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  const cards = await page.locator('.cards li').count();
  await close(page);
  return wide <= 320 && cards === 6 ? '' : `${wide} px, ${cards} cards`;
});
await check('15 an unknown GPU by hand', async () => {
  const response = await fetch(base + '/compare.json?a.gpu_price=9000&a.gpu_watt=900&a.machine_speed=3000&a.label=My+own+card');
  const got = await response.json();
  return response.status === 200 && got.options.a.label === 'My own card' ? '' : JSON.stringify(got).slice(0, 200);
});
await check('16 a misspelt parameter is named', async () => {
  const response = await fetch(base + '/compare.html?bussy_frac=0.3'), text = await response.text();
  return response.status === 400 && /bussy_frac is not an input. Did you mean busy_frac/.test(text) ? '' : String(response.status);
});

/* ---- trust ---- */
await check('17 every formula is set and every constant has a source', async () => {
  const text = await fetchText('/methods.html');
  return (text.match(/<math /g) || []).length > 60 && !/<li>[^]*?<code>/.test(text.split('<ul class="formulas">')[1].split('</ul>')[0]) ? '' : 'not all are set';
});
await check('17 every figure of the options opens to its formula, inputs and sources', async () => {
  const page = await open('/compare.html');
  const cells = await page.locator('td a[href$="#why"]').evaluateAll((all) => all.map((each) => [each.getAttribute('href'), each.textContent]));
  await page.locator('td a[href$="#why"]').first().click();
  await page.waitForSelector('#why');
  const [focus, address] = await page.evaluate(() => [document.activeElement.id, location.search]);
  await page.goBack();
  await page.waitForFunction(() => !document.getElementById('why'));
  await close(page);
  if (cells.length < 30 || focus !== 'why' || !address.includes('explain=a.')) return `${cells.length} figures, ${focus}, ${address}`;
  for (const [href, shown] of cells) {
    const why = (await fetchText(href)).match(/<ul class="why">[^]*?<\/ul>\n/)?.[0] || '';
    const first = why.match(/<b>([^<]*)<\/b>/)?.[1] || '', value = (text) => parseFloat(text.replace(/,/g, '').match(/[\d.]+/)) / (text.includes('%') ? 100 : 1);
    if (!(Math.abs(value(first) - value(shown)) <= 0.006 * value(first)) || !/<code>= /.test(why) || !/class="from"/.test(why)) return `${href}: ${first}, not ${shown}`;
  }
});
await check('18 how sure: chances, range, drivers; a tie is called one', async () => {
  const sure = await fetchText('/compare.html');
  const tie = await fetchText('/compare.html?busy_frac=0.178');
  return /How sure\?/.test(sure) && /Chance of being cheapest/.test(sure) && /the answer turns at/.test(sure) && /too close to call/i.test(tie) ? '' : 'missing';
});
await check('18 what matters, in words or as a bar, leads to its input', async () => {
  const page = await open('/compare.html');
  const inputs = [];
  for (const each of ['.sure ol a', '#fig-tornado svg:visible [data-key] text']) {
    await page.locator(each).first().click();
    inputs.push(await page.evaluate(() => document.activeElement.id));
  }
  const seen = await page.locator('#' + inputs[1]).isVisible();
  await close(page);
  return inputs[0] === inputs[1] && /^f-/.test(inputs[0]) && seen ? '' : inputs.join(' ');
});
await check('21 page and JSON agree to the last printed digit', async () => {
  const got = await (await fetch(base + '/compare.json')).json(), text = await fetchText('/compare.html');
  for (const letter of ['a', 'b']) {
    const want = Math.round(got.options[letter].npv_cost).toLocaleString('en-US');
    if (!text.includes(`USD ${want}</p>`)) return want;
  }
});
await check('22 green contracts never lower the location-based figure', async () => {
  const plain = await (await fetch(base + '/compare.json')).json(), green = await (await fetch(base + '/compare.json?a.renewable_frac=1')).json();
  return same(green.options.a.operational_kg, plain.options.a.operational_kg);
});
await check('23 the self-check shows published, computed and the error between', async () => {
  const rows = [...(await fetchText('/methods/selfcheck')).matchAll(/<tr>(.*?)<\/tr>/gs)]
    .map((row) => [...row[1].matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map((cell) => cell[1].replace(/<[^>]*>/g, '').replace(/,/g, '').trim()))
    .filter((row) => row.length === 6 && /^[-+][\d.]+ %$/.test(row[5]));
  const off = rows.find((row) => Math.abs((parseFloat(row[3]) / parseFloat(row[2]) - 1) * 100 - parseFloat(row[5])) > 0.2);
  return rows.length < 40 ? `${rows.length} rows` : off ? off.join(' | ') : '';
});

/* ---- access ---- */
async function axe(page) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  return found.violations.map((each) => `${each.id}: ${each.nodes.length} × ${each.nodes[0].html.slice(0, 120)} ${each.nodes[0].failureSummary.slice(0, 200)}`).join(' | ');
}
/* A saved result of another day, so that there is a then and a now. */
const kept = await fetch(base + '/studies.json?as_of=2025-03-01&currency=EUR&b=rent/aws/p5.48xlarge/us-east-1/on_demand', { method: 'POST' })
  .then((answer) => answer.json()).then(({ id }) => '/s/' + id);
const places = { kept, 'kept zh': kept + '?lang=zh&now=1', then: kept + '?now=1', 'not kept': '/s/AAAAAAAAAAAAAAAAAAAAAA', builder: '/embed?width=600', 'builder zh': '/embed?lang=zh',
  card: '/embed/compare?width=480', 'card dark': '/embed/compare?theme=dark&lang=zh&figure=stack', 'card of a run': '/embed/train?model_preset=llama-2-70b', 'card kept': kept.replace('/s/', '/embed/s/'),
  start: '/', 'start zh': '/zh/', result: '/compare.html', 'result zh': '/compare.html?lang=zh&currency=CNY&zone=CN', six, error: wrong,
  'error zh': wrong + '&lang=zh', prices: '/prices', 'prices zh': '/prices?lang=zh', instance: '/prices/aws:p5.48xlarge', gpu: '/gpus/h100-sxm5-80gb',
  train: '/train?model_preset=llama-2-70b', 'train form': '/train', advise: '/advise',
  gpus: '/gpus', zones: '/zones', servers: '/servers', sources: '/sources', methods: '/methods', about: '/about', 'not there': '/gpus/none' };
for (const [name, path] of Object.entries(places))
  for (const colorScheme of /^(gpus|zones|servers|sources|about|instance|start zh|prices zh|train form)$/.test(name) ? ['light'] : ['light', 'dark'])
    await check(`24, 29 axe: ${name}, ${colorScheme}`, async () => {
      const page = await open(path, { colorScheme });
      await settled(page);
      if (path.startsWith('/compare') && !path.includes('abc')) await page.evaluate(() => document.querySelectorAll('details').forEach((each) => { each.open = true; }));
      const why = (await axe(page)) || page.problems.filter((each) => !/404/.test(each)).join(' | ');
      await close(page);
      return why;
    });
await check('25 by keyboard: focus is seen and not under the bar', async () => {
  const page = await open('/compare.html', { viewport: { width: 1280, height: 700 } });
  const lost = [];
  for (let i = 0; i < 70; i++) {
    await page.keyboard.press('Tab');
    const got = await page.evaluate(() => {
      const at = document.activeElement, box = at.getBoundingClientRect();
      if (at === document.body) return '';
      const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1), x = Math.min(Math.max(box.left + Math.min(box.width / 2, 60), 0), innerWidth - 1);
      const top = document.elementFromPoint(x, y), style = getComputedStyle(at);
      const seen = top && (at === top || at.contains(top) || top.contains(at) || top.closest('label, .box, figure, summary') === at.closest('label, .box, figure, summary'));
      const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
      return seen && ring ? '' : `${at.tagName}#${at.id} ${ring ? 'hidden' : 'no ring'} under ${top && top.className}`;
    });
    if (got) lost.push(got);
  }
  await close(page);
  return lost.slice(0, 4).join(' | ');
});
await check('25 the combobox and the readout by keyboard', async () => {
  const page = await open('/compare.html');
  await page.focus('#f-a');
  await page.keyboard.type('h100 sxm5');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.search.includes('a=own/h100-sxm5-80gb'));
  await page.focus('.reader');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const said = await page.getAttribute('.reader', 'aria-valuetext');
  await close(page);
  return /^Month 2, a [\d,]+, b [\d,]+$/.test(said) ? '' : said;
});
await check('26 one short sentence is spoken', async () => {
  const page = await open('/compare.html');
  await page.fill('#f-busy_frac', '30%');
  await page.waitForFunction(() => document.getElementById('live').textContent.length > 0);
  const got = await page.evaluate(() => ({ said: document.getElementById('live').textContent, regions: document.querySelectorAll('[aria-live]').length }));
  await close(page);
  return got.said.length < 250 && got.regions === 1 && /cheaper|close/.test(got.said) ? '' : JSON.stringify(got);
});
for (const path of ['/', '/zh/', '/compare.html', wrong, '/prices', '/methods', '/about', '/gpus/h100-sxm5-80gb'])
  await check(`27 no sideways scrolling at 320 px, text doubled: ${path.slice(0, 30)}`, async () => {
    const page = await open(path, { viewport: { width: 320, height: 700 }, reducedMotion: 'reduce', forcedColors: 'active' });
    await settled(page);
    const normal = await page.evaluate(() => document.documentElement.scrollWidth);
    await page.setViewportSize({ width: 640, height: 700 });
    await page.evaluate(() => { document.documentElement.style.fontSize = '200%'; });
    const doubled = await page.evaluate(() => document.documentElement.scrollWidth);
    await close(page);
    return normal <= 320 && doubled <= 640 ? '' : `${normal} px, doubled ${doubled} px`;
  });
await check('28 each figure: title, description, table, dashes', async () => {
  const page = await open(six);
  const got = await page.evaluate(() => {
    const bad = [];
    for (const figure of document.querySelectorAll('.fig')) {
      for (const svg of figure.querySelectorAll('.plot svg'))
        if (svg.getAttribute('role') !== 'img' || !svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent) bad.push(figure.id + ' words');
      if (figure.querySelectorAll('tbody tr').length < 1 || !figure.querySelector('caption')) bad.push(figure.id + ' table');
    }
    const dashes = [...document.querySelectorAll('#fig-cumulative .at-wide path[stroke-width="2.5"]')].map((each) => each.getAttribute('stroke-dasharray'));
    if (new Set(dashes).size !== 6) bad.push('dashes ' + dashes);
    return bad.join(' ');
  });
  await close(page);
  return got;
});
/* Numbers of a currency of many digits, months of several pairs: nothing is cut
   off at the side of a figure, and no two texts in bold stand on one another. */
for (const [currency, lang, width] of [['USD', 'zh', 390], ['IDR', 'en', 390], ['IDR', 'zh', 1280], ['JPY', 'en', 320]]) {
  await check(`28 figures: room for their numbers, ${currency}, ${width} px`, async () => {
    const page = await open(`/compare?a=own/h100-sxm5-80gb/8&b=rent/aws/p5.48xlarge/us-east-1/on_demand&c=rent/azure/Standard_ND96isr_H100_v5/eastus/on_demand&samples=0&currency=${currency}&lang=${lang}`,
      { viewport: { width, height: 900 } });
    const why = await page.evaluate(() => {
      const found = [];
      let texts = 0;
      for (const svg of document.querySelectorAll('figure svg')) {
        const frame = svg.getBoundingClientRect(), bold = [];
        if (!frame.width) continue;
        for (const text of svg.querySelectorAll('text')) {
          const at = text.getBoundingClientRect();
          texts++;
          if (at.left < frame.left - 2 || at.right > frame.right + 2) found.push(`cut: ${text.textContent} ${(at.left - frame.left).toFixed(1)} ${(frame.right - at.right).toFixed(1)}`);
          if (!text.classList.contains('strong')) continue;
          for (const other of bold)
            if (at.left < other.right && other.left < at.right && at.top < other.bottom - 4 && other.top < at.bottom - 4) found.push(`on another: ${text.textContent}`);
          bold.push(at);
        }
      }
      return texts < 20 ? 'no figures' : found.join('; ');
    });
    await close(page);
    return why;
  });
}

await check('30 the language keeps the case, and leaves no English', async () => {
  const page = await open('/compare.html?busy_frac=0.3&a=own/rtx-3090/4&zone=CN&currency=CNY');
  const money = await page.textContent('.cards .big');
  await page.click('.lang');
  await page.waitForSelector('html[lang=zh-CN]');
  const same_ = (await page.textContent('.cards .big')) === money && page.url().includes('busy_frac=0.3') && page.url().includes('lang=zh');
  const left = [];
  for (const path of [page.url().slice(base.length), '/zh/', wrong + '&lang=zh', '/prices?lang=zh&limit=5', '/gpus?lang=zh', '/methods?lang=zh', '/about?lang=zh', '/servers?lang=zh']) {
    await page.goto(base + path);
    await settled(page);
    left.push(...await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
      while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement;
        if (parent.closest('script, code, datalist, option, textarea, li[role=option], math, .sources, .equivalents small, .address, .who, .format, .file, [lang=en], legend, h1, .lead, desc, .sheet td, .sheet tbody th, .value, table .from, tbody th a, thead, .brief, .act, .warnings b, .error, .summary'))
          continue;
        const text = node.textContent.replace(/GeForce|TFLOPS|SXM\w*|Gaudi|Quadro|Tesla|Radeon|Instinct|gputco|Cookie|PUE|ISO|MACRS|WACC|USD|CNY|CO2e|JSON|HTML|CSV|SVG|BF16|PFLOP|Blackwell|Nebius|Lambda|YYYY-MM-DD|xlarge|east|demand/g, '');
        if (/[A-Za-z]{4,}/.test(text)) found.push(text.trim().slice(0, 60));
      }
      return found;
    }));
  }
  await close(page);
  return !same_ ? 'the case changed' : [...new Set(left)].slice(0, 8).join(' | ');
});
await check('5 no request to others, no cookie, nothing stored', async () => {
  const page = await open('/');
  await page.waitForSelector('.cards');
  const kept = await page.evaluate(() => document.cookie.length + localStorage.length + sessionStorage.length);
  const cookies = (await page.context().cookies()).length;
  await close(page);
  return kept + cookies ? 'something is kept' : foreign.slice(0, 3).join(' ');
});

for (const javaScriptEnabled of [false, true])
  await check(`20 a result is saved and found again, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
    const page = await open('/compare.html?busy_frac=0.45', { javaScriptEnabled });
    const said = await page.locator('h1').innerText();
    const [answer] = await Promise.all([page.waitForResponse((each) => each.request().method() === 'POST'), page.locator('form.save button').click()]);
    await page.waitForSelector('a.permalink');
    await page.goto(base + new URL(await page.locator('a.permalink').getAttribute('href'), base).pathname);
    const why = same(answer.status(), 201) || same(await page.locator('h1').innerText(), said) || page.problems.join(' | ');
    await close(page);
    return why;
  });
await check('52 another site may frame a card and nothing else', async () => {
  const page = await open('/healthz');
  const host = createServer((asked, answer) => answer.setHeader('Content-Type', 'text/html').end(
    `<iframe name="card" src="${base}/embed/compare"></iframe><iframe name="whole" src="${base}/compare"></iframe><iframe name="sandboxed" sandbox="allow-scripts" src="${base}/embed/compare?theme=dark"></iframe>`)).listen(0, '127.0.0.1');
  await new Promise((listens) => host.on('listening', listens));
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  const there = async (name) => { const frame = page.frame(name); await frame.waitForLoadState(); return frame.locator('time').count(); };
  const paper = await page.frame('sandboxed').evaluate(() => getComputedStyle(document.body).backgroundColor);
  const why = same(await there('card'), 1) || same(await there('whole'), 0) || same(paper, 'rgb(29, 35, 38)');
  foreign.length = 0;
  host.close();
  await close(page);
  return why;
});

/* ---- markup and Lighthouse ---- */
const { HtmlValidate, FileSystemConfigLoader } = await import('html-validate');
const validate = new HtmlValidate(new FileSystemConfigLoader({
  root: true, extends: ['html-validate:standard'],
  rules: { 'long-title': 'off', 'no-trailing-whitespace': 'off', 'prefer-native-element': 'off', 'void-style': 'off', 'no-inline-style': 'error', 'svg-focusable': 'off',
    'tel-non-breaking': 'off', 'heading-level': 'error', 'no-redundant-role': 'off', 'element-permitted-content': 'error' },
}));
for (const [name, path] of Object.entries(places))
  await check(`markup: ${name}`, async () => {
    const report = await validate.validateString(await fetchText(path, { Accept: 'text/html' }));
    const first = report.results.flatMap((each) => each.messages).slice(0, 3);
    return first.map((each) => `${each.line}: ${each.ruleId}: ${each.message}`).join(' | ');
  });
if (process.env.LIGHTHOUSE !== '0') {
  const { default: lighthouse } = await import('lighthouse');
  for (const path of ['/', '/compare', '/prices', '/zh/'])
    await check(`Lighthouse: ${path}`, async () => {
      const run = await lighthouse(base + path, { port, output: 'json', logLevel: 'silent', onlyCategories: ['accessibility', 'best-practices', 'seo'] });
      const scores = Object.entries(run.lhr.categories).map(([name, { score }]) => [name, Math.round(score * 100)]);
      console.log(`  ${path} ${scores.map(([name, score]) => `${name} ${score}`).join(', ')}`);
      const low = Object.values(run.lhr.audits).filter((each) => each.score !== null && each.score < 1 && each.scoreDisplayMode === 'binary').map((each) => each.id);
      return scores.every(([, score]) => score === 100) ? '' : low.join(' ');
    });
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
