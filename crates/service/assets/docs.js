// The reference works without this script. It adds copying, and shows in the contents where the reader is.
(() => {
  const say = text => {
    let status = document.getElementById('say');
    if (!status) {
      status = Object.assign(document.createElement('div'), { id: 'say', className: 'sr' });
      status.setAttribute('role', 'status');
      document.body.append(status);
    }
    status.textContent = text;
  };

  // Over plain http there is no clipboard; copying a selection works there.
  const copy = async element => {
    try {
      return await navigator.clipboard.writeText(element.textContent);
    } catch {
      getSelection().selectAllChildren(element);
      if (!document.execCommand('copy')) throw new Error('not copied');
      getSelection().removeAllRanges();
    }
  };

  for (const button of document.querySelectorAll('[data-copy]')) {
    const word = button.querySelector('[data-word]');
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = button.closest('figure').querySelector('pre');
      const done = await copy(text).then(() => 'Copied', () => 'Not copied');
      word.textContent = done;
      say(done);
      setTimeout(() => { word.textContent = 'Copy'; }, 1500);
    });
  }

  const links = new Map();
  for (const link of document.querySelectorAll('.beside a[href^="#"]')) links.set(link.hash.slice(1), link);
  const mark = id => {
    for (const [name, link] of links) {
      if (name === id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  // The section that crosses a line near the top of the window is the one being read.
  const seen = new IntersectionObserver(entries => {
    for (const entry of entries) if (entry.isIntersecting) mark(entry.target.id);
  }, { rootMargin: '-20% 0px -79% 0px' });
  for (const section of document.querySelectorAll('main section[id]')) seen.observe(section);
})();
