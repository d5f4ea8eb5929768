// Every page works without this script. It adds the ticking clock, copying, the payer's time zone, and news.
(() => {
  const words = document.body.dataset;
  const russian = document.documentElement.lang === 'ru';
  let main = document.querySelector('main');
  let ticking, polling, leaving, source, failures = 0, since = 0, held, busy;

  const now = () => performance.now();
  const say = text => { document.getElementById('say').textContent = text || ''; };
  const lost = shown => { for (const line of main.querySelectorAll('[data-lost]')) line.hidden = !shown; };

  // The clock counts down what the server said was left. At the end the server says what became of it.
  const tick = () => {
    clearTimeout(ticking);
    const box = main.querySelector('[data-left]');
    if (!box) return;
    const given = +box.dataset.left, end = now() + given * 1e3;
    const face = box.querySelector('[role=timer]'), bar = box.querySelector('rect');
    let before = given;
    const step = () => {
      const left = Math.max(0, Math.ceil((end - now()) / 1e3));
      face.textContent = [left / 60 | 0, left % 60].map(n => String(n).padStart(2, '0')).join(':');
      bar.setAttribute('width', left);
      box.classList.toggle('late', left <= 60);
      for (const [at, text] of [[300, words.five], [60, words.one], [0, words.over]]) if (before > at && left <= at) say(text);
      before = left;
      if (left) ticking = setTimeout(step, (end - now()) % 1e3 || 1e3);
      else if (given) location.replace(location.pathname.replace(/\/(pay|check)$/, ''));
      else ticking = setTimeout(() => load().catch(() => {}).finally(tick), 5e3);
    };
    step();
  };

  const localise = () => {
    const form = { day: 'numeric', month: russian ? 'long' : 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' };
    for (const time of main.querySelectorAll('time')) {
      // A new element takes the old one's place: nothing moves.
      const local = time.cloneNode();
      local.textContent = new Intl.DateTimeFormat(russian ? 'ru' : 'en-GB', form).format(new Date(time.dateTime));
      time.replaceWith(local);
    }
  };

  // Nothing is replaced while the customer is filling something in or a form is on its way, a provider's own among them.
  const inUse = () => busy || main.querySelector('[data-element][data-busy]') || [...main.querySelectorAll('input:not([type=hidden])')].some(field =>
    field === document.activeElement || field.value !== field.defaultValue || field.checked !== field.defaultChecked);

  const show = page => {
    const next = page.querySelector('main');
    if (!next || !next.dataset.state) throw new Error('not a page of ours');
    const clock = main.querySelector('[data-left]'), fresh = next.querySelector('[data-left]');
    if (next.dataset.state === main.dataset.state) {
      if (clock && fresh) { clock.dataset.left = fresh.dataset.left; tick(); }
      return;
    }
    // A provider's form comes with a script and a policy of its own.
    if (next.querySelector('[data-element]')) return location.reload();
    const focused = main.contains(document.activeElement) && document.activeElement.dataset.testid;
    document.title = page.title;
    for (const part of ['header', 'footer']) document.querySelector(part).replaceWith(page.querySelector(part));
    main.replaceWith(next);
    main = next;
    start();
    if ('final' in main.dataset) {
      const heading = main.querySelector('h1');
      heading.tabIndex = -1;
      heading.focus();
    } else {
      if (focused) main.querySelector(`[data-testid="${focused}"]`)?.focus();
      say(main.dataset.say);
    }
  };

  const load = async () => {
    held = inUse();
    if (held) return;
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(8e3) });
    if (answer.status >= 500) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!inUse()) show(page);
  };

  // While there is no stream the page is asked for instead: every 5 seconds for a minute, then every 15.
  const poll = () => {
    clearTimeout(polling);
    polling = setTimeout(async () => {
      const well = await load().then(() => true, () => false);
      lost(!well && now() - since > 9e3);
      if (well && source && source.readyState === 2) listen();
      else if (!source || source.readyState !== 1) poll();
    }, failures++ < 12 ? 5e3 : 15e3);
  };

  const down = () => {
    if (failures) return;
    since = now();
    failures = 1;
    poll();
  };

  const listen = () => {
    clearTimeout(polling);
    source?.close();
    source = null;
    const url = main.dataset.events;
    if (!url) return;
    source = new EventSource(url);
    // One that neither opens nor fails is as good as none.
    polling = setTimeout(down, 5e3);
    source.addEventListener('open', () => {
      clearTimeout(polling);
      lost(false);
      if (failures) load().catch(poll);
      failures = 0;
    });
    source.addEventListener('error', down);
    source.addEventListener('state', event => {
      if (event.data !== main.dataset.state) load().catch(poll);
    });
  };

  const start = () => {
    clearTimeout(polling);
    clearTimeout(leaving);
    tick();
    localise();
    if (source?.url !== (main.dataset.events && new URL(main.dataset.events, location).href)) {
      failures = 0;
      listen();
    }
    leave();
    for (const button of main.querySelectorAll('[data-print]')) {
      button.hidden = false;
      button.onclick = () => print();
    }
  };

  // Only a payment that has just become paid leads back to the shop by itself, counted, unless the customer stays.
  const leave = () => {
    const { returnIn, return: to } = main.dataset, line = main.querySelector('[data-returning]');
    if (!to || !line) return;
    const end = now() + returnIn * 1e3, count = line.querySelector('[data-seconds]');
    line.classList.add('on');
    line.querySelector('[data-stay]').onclick = () => { clearTimeout(leaving); line.classList.remove('on'); };
    const step = () => {
      const left = Math.ceil((end - now()) / 1e3);
      if (left <= 0) return location.assign(to);
      count.textContent = left;
      leaving = setTimeout(step, (end - now()) % 1e3 || 1e3);
    };
    step();
  };

  const copy = async button => {
    const { copy: text } = button.dataset, word = button.querySelector('[data-word]');
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Over plain http there is no clipboard; copying a selection works there.
      getSelection().selectAllChildren(button.previousElementSibling);
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

  // A form is sent once. Its button says so and keeps its place.
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
    load().catch(poll);
  });
  document.addEventListener('focusout', () => setTimeout(() => { if (held) load().catch(poll); }));
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && main.dataset.events) load().catch(poll);
  });

  start();
})();
