// The card form of the fake, in a frame of its own origin. It alone sees the card.
(() => {
  const field = name => document.querySelector(`[name=${name}]`).value.trim();
  const problem = text => { document.querySelector('[role=alert]').textContent = text; };
  const look = ({ theme, colorBackground, colorText, fontFamily }) => {
    const { style, dataset } = document.documentElement;
    Object.assign(style, { colorScheme: theme === 'night' ? 'dark' : 'light', background: colorBackground, color: colorText, fontFamily });
    dataset.theme = theme;
  };
  const confirm = async ({ key, secret, intent, api, back }) => {
    const number = field('number').replaceAll(' ', '');
    if (!number || !field('exp_month') || !field('exp_year') || !field('cvc')) {
      const error = { type: 'validation_error', code: 'incomplete_number', message: 'Your card number is incomplete.' };
      problem(error.message);
      return { error };
    }
    const body = new URLSearchParams({ key, client_secret: secret, return_url: back, 'payment_method_data[type]': 'card' });
    body.set('payment_method_data[card][number]', number);
    for (const name of ['exp_month', 'exp_year', 'cvc']) body.set(`payment_method_data[card][${name}]`, field(name));
    try {
      const answer = await fetch(`${api}/v1/payment_intents/${intent}/confirm`, { method: 'POST', body });
      const read = await answer.json();
      problem(read.error?.message || '');
      return read.error ? { error: read.error } : { paymentIntent: read };
    } catch {
      return { error: { type: 'api_connection_error', message: 'We could not reach the service.' } };
    }
  };
  addEventListener('message', async event => {
    if (event.source === parent && event.data?.fake === 'look') return look(event.data.look);
    if (event.source !== parent || event.data?.fake !== 'confirm') return;
    parent.postMessage({ fake: 'answer', result: await confirm(event.data) }, event.origin);
  });
  document.documentElement.lang = location.hash.slice(1);
  parent.postMessage({ fake: 'ready' }, '*');
})();
