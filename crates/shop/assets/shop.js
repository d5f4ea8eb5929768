// Every page works without this script. It follows an order, copies, and sends a form once.
(() => {
  const say = text => { document.getElementById('say').textContent = text || ''; };
  let main = document.querySelector('main');
  let looking, busy, failures = 0, looks = 0;

  const ready = () => {
    for (const button of main.querySelectorAll('[data-copy]')) button.hidden = false;
    for (const line of main.querySelectorAll('[data-follows]')) line.hidden = !main.dataset.news;
    later();
  };

  // A page that waits for its callback looks every second, then less often.
  const later = () => {
    clearTimeout(looking);
    if (main.dataset.news && !document.hidden) looking = setTimeout(look, looks++ < 120 ? 1000 : 5000);
  };

  const look = async () => {
    try {
      const { news, state } = main.dataset;
      const answer = await fetch(`${news}?state=${encodeURIComponent(state)}`, { cache: 'no-store' });
      if (!answer.ok) throw answer;
      failures = 0;
      if (answer.status === 200) show(await answer.text());
    } catch {
      failures += 1;
    }
    for (const line of main.querySelectorAll('[data-lost]')) line.hidden = failures < 5;
    later();
  };

  // What somebody has opened or stands on stays so.
  const show = html => {
    const next = new DOMParser().parseFromString(html, 'text/html');
    const fresh = next.querySelector('main');
    const focused = document.activeElement?.closest('details')?.id;
    for (const { id } of main.querySelectorAll('details[open]')) {
      const same = fresh.querySelector(`#${id}`);
      if (same) same.open = true;
    }
    const changed = fresh.dataset.kind !== main.dataset.kind;
    main.replaceWith(fresh);
    main = fresh;
    document.title = next.title;
    ready();
    if (changed) {
      const heading = main.querySelector('h1');
      say(heading.textContent);
      if (!focused) heading.focus({ preventScroll: true });
    }
    if (focused) main.querySelector(`#${focused} summary`)?.focus({ preventScroll: true });
  };

  document.addEventListener('click', async event => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const text = document.getElementById(button.dataset.copy), word = button.querySelector('[data-word]');
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      // Where there is no clipboard, copying a selection works.
      getSelection().selectAllChildren(text);
      if (!document.execCommand('copy')) return;
    }
    button.dataset.was ||= word.textContent;
    word.textContent = document.body.dataset.copied;
    say(document.body.dataset.copied);
    setTimeout(() => { word.textContent = button.dataset.was; say(); }, 1500);
  });

  document.addEventListener('submit', event => {
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
    for (const button of main.querySelectorAll('[aria-disabled]')) {
      button.removeAttribute('aria-disabled');
      if (button.dataset.was) button.querySelector('[data-word]').textContent = button.dataset.was;
    }
    later();
  });
  document.addEventListener('visibilitychange', later);

  ready();
})();
