// The 3-D Secure challenge, in a frame of its own origin.
for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', async () => {
    const body = new URLSearchParams(location.hash.slice(1));
    body.set('outcome', button.value);
    await fetch('/3ds', { method: 'POST', body });
    parent.postMessage({ fake: '3ds' }, '*');
  });
}
