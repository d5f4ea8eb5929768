// Every page works without this script. It adds copying, and sends a form once; it counts down, says what is new, and
// how far a download is.
(() => {
  const words = document.body.dataset;
  const say = text => { document.getElementById('say').textContent = text || ''; };
  let busy;

  const copy = async button => {
    const word = button.querySelector('[data-word]');
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      // Over plain http there is no clipboard; copying a selection works there.
      const text = button.closest('.copy, .stack')?.querySelector('.mono');
      if (!text) return;
      getSelection().selectAllChildren(text);
      if (!document.execCommand('copy')) return;
    }
    button.dataset.was ||= word.textContent;
    word.textContent = words.copied;
    say(words.copied);
    setTimeout(() => { word.textContent = button.dataset.was; say(); }, 1500);
  };
  document.addEventListener('click', event => {
    const button = event.target.closest('[data-copy]');
    if (button) copy(button);
  });

  document.addEventListener('submit', event => {
    if (event.target.method !== 'post') return;
    if (busy) return event.preventDefault();
    busy = true;
    const button = event.submitter, word = button?.querySelector('[data-word]');
    button?.setAttribute('aria-disabled', 'true');
    if (word && button.dataset.busy) {
      button.dataset.was = word.textContent;
      word.textContent = button.dataset.busy;
    }
  });
  addEventListener('pageshow', event => {
    if (!event.persisted) return;
    busy = false;
    for (const button of document.querySelectorAll('[aria-disabled]')) {
      button.removeAttribute('aria-disabled');
      if (button.dataset.was) button.querySelector('[data-word]').textContent = button.dataset.was;
    }
  });

  // "All methods" and a choice of them exclude each other.
  const all = document.querySelector('[name=all]');
  const some = document.querySelectorAll('[name=methods]');
  const follow = () => { for (const box of some) box.disabled = all.checked; };
  if (all) { all.addEventListener('change', follow); follow(); }

  // A report can be printed.
  const paper = document.querySelector('[data-print]');
  if (paper) { paper.hidden = false; paper.onclick = () => print(); }

  // What is left of a session's time.
  const left = [...document.querySelectorAll('[data-left]')].map(node => [node, performance.now() + node.dataset.left * 1000]);
  const tick = () => {
    for (const [node, end] of left) {
      const rest = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      node.textContent = `${String(Math.floor(rest / 60)).padStart(2, '0')}:${String(rest % 60).padStart(2, '0')}`;
    }
  };
  if (left.length) setInterval(tick, 1000);

  // The number of new rows.
  const news = document.querySelector('[data-news]');
  const ask = async () => {
    if (document.hidden) return 5000;
    const answer = await fetch(news.dataset.news, { redirect: 'manual' });
    // Logged out.
    if (answer.type === 'opaqueredirect' || answer.status === 401 || answer.status === 403) return 0;
    if (!answer.ok) return 30000;
    const { count, text, next } = await answer.json();
    if (next) news.dataset.news = next;
    if (text !== news.textContent) news.textContent = text;
    news.hidden = !count;
    return 5000;
  };
  const askIn = pause => { if (pause) setTimeout(() => ask().catch(() => 30000).then(askIn), pause); };
  if (news) askIn(5000);

  // A download says how many rows it has; without a stream to read it is a plain one.
  const progress = document.querySelector('[data-progress]');
  const download = async link => {
    const { progress: rows, done, broken } = progress.dataset;
    const parts = [], decoder = new TextDecoder();
    let lines = -1, tail = '';
    try {
      const answer = await fetch(link.href, { redirect: 'error' });
      if (!answer.ok) throw answer;
      const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition'))[1];
      const reader = answer.body.getReader();
      for (let part; !(part = await reader.read()).done;) {
        parts.push(part.value);
        for (const byte of part.value) lines += byte === 10;
        tail = (tail + decoder.decode(part.value, { stream: true })).slice(-200);
        progress.textContent = `${rows} ${Math.max(lines, 0).toLocaleString(document.documentElement.lang)}`;
      }
      const file = document.createElement('a');
      file.href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
      file.download = name;
      file.click();
      setTimeout(() => URL.revokeObjectURL(file.href), 60000);
      // A file that broke off ends with such a line. Quotes inside of a cell are doubled: no cell looks like it.
      progress.textContent = /\n"ERROR: [^\n]*\n$/.test(tail) ? broken : `${progress.textContent}. ${done}`;
    } catch {
      progress.textContent = broken;
    }
    link.removeAttribute('aria-disabled');
  };
  document.addEventListener('click', event => {
    const link = event.target.closest('[data-download]');
    if (!link || !progress || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.getAttribute('aria-disabled')) return;
    link.setAttribute('aria-disabled', 'true');
    download(link);
  });

  // The menu of a phone closes when something else is wanted.
  const menu = document.querySelector('.menu');
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape' && menu?.open) { menu.open = false; menu.firstElementChild.focus(); }
  });
})();
