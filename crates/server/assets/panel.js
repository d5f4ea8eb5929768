// Every page works without this script. It adds copying, and sends a form once.
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

  // The menu of a phone closes when something else is wanted.
  const menu = document.querySelector('.menu');
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape' && menu?.open) { menu.open = false; menu.firstElementChild.focus(); }
  });
})();
