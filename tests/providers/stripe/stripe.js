// The fake's Stripe.js: as much of the real one as a Payment Element needs, and as strict. The card form is a
// frame of its own origin, so card data never reaches the page; so is the 3-D Secure challenge.
(() => {
  const here = new URL(document.currentScript.src).origin;
  const real = here === 'https://js.stripe.com';
  const api = real ? 'https://api.stripe.com' : here;
  const hooks = real ? 'https://hooks.stripe.com' : here;
  const train = 'endive';
  const fail = text => { throw new Error(`IntegrationError: ${text}`); };
  const intentOf = secret => /^(pi_[A-Za-z0-9]+)_secret_[A-Za-z0-9]+$/.exec(secret || '')?.[1]
    || fail('Invalid value for clientSecret: it should be a string of the form ${id}_secret_${secret}.');

  // Waits for one message of a frame.
  const message = (frame, origin, kind) => new Promise(done => {
    const hear = event => {
      if (event.source !== frame.contentWindow || event.origin !== origin || event.data?.fake !== kind) return;
      removeEventListener('message', hear);
      done(event.data);
    };
    addEventListener('message', hear);
  });

  // Colours are read by a parser of its own: it knows neither names of ours nor CSS variables of the page.
  const look_of = ({ theme = 'stripe', variables = {} } = {}) => {
    if (!['stripe', 'night', 'flat'].includes(theme)) fail(`There is no theme ${theme}.`);
    for (const [name, value] of Object.entries(variables)) {
      if (!value || name.startsWith('color') && !/^(#[0-9a-f]{3,8}|rgb\(.*\))$/i.test(value)) fail(`elements(): ${name} is no ${value}.`);
    }
    return { theme, ...variables };
  };

  window.Stripe = (key, options = {}) => {
    if (!/^pk_(test|live)_/.test(key || '')) fail('Please call Stripe() with your publishable key.');

    const retrieve = async secret => {
      const query = new URLSearchParams({ key, client_secret: secret });
      const answer = await fetch(`${api}/v1/payment_intents/${intentOf(secret)}?${query}`);
      const read = await answer.json();
      return read.error ? { error: read.error } : { paymentIntent: read };
    };

    const authenticate = async secret => {
      const modal = document.createElement('div');
      Object.assign(modal.style, { position: 'fixed', inset: '0', background: 'rgba(0,0,0,.5)', zIndex: '2147483647' });
      const frame = document.createElement('iframe');
      frame.title = '3-D Secure';
      frame.dataset.testid = 'fake-3ds';
      Object.assign(frame.style, { display: 'block', width: '320px', height: '220px', margin: '15vh auto', border: '0', background: '#fff' });
      frame.src = `${hooks}/3ds.html#${new URLSearchParams({ intent: intentOf(secret), client_secret: secret })}`;
      modal.append(frame);
      document.body.append(modal);
      await message(frame, hooks, '3ds');
      modal.remove();
      const read = await retrieve(secret);
      const failed = read.paymentIntent?.last_payment_error;
      return failed ? { error: { ...failed, payment_intent: read.paymentIntent } } : read;
    };

    const elements = settings => {
      const { clientSecret, locale, paymentMethodTypes, appearance } = settings || {};
      if (paymentMethodTypes) fail('paymentMethodTypes is no longer supported: use allowedPaymentMethodTypes.');
      intentOf(clientSecret);
      let frame, look = look_of(appearance);
      const create = (kind, options = {}) => {
        if (kind !== 'payment') fail(`There is no Element ${kind} here.`);
        for (const [wallet, when] of Object.entries(options.wallets || {})) {
          if (!['applePay', 'googlePay', 'link'].includes(wallet) || !['auto', 'never'].includes(when)) fail(`wallets.${wallet}`);
        }
        const heard = {};
        return {
          mount(place) {
            const target = typeof place === 'string' ? document.querySelector(place) : place;
            if (!target) fail('The selector you specified applies to no DOM elements.');
            frame = document.createElement('iframe');
            frame.title = 'Secure payment input frame';
            frame.dataset.testid = 'fake-card';
            Object.assign(frame.style, { width: '100%', height: '230px', border: '0' });
            frame.src = `${here}/${train}/card.html#${locale || 'auto'}`;
            message(frame, here, 'ready').then(() => { paint(); heard.ready?.(); });
            frame.addEventListener('error', () => heard.loaderror?.());
            target.replaceChildren(frame);
          },
          on(event, run) { heard[event] = run; },
          unmount() { frame?.remove(); },
          destroy() { frame?.remove(); },
        };
      };
      const paint = () => frame?.contentWindow.postMessage({ fake: 'look', look }, here);
      const update = async changed => { look = look_of(changed.appearance); paint(); };
      return { create, update, clientSecret, frame: () => frame };
    };

    const confirmPayment = async ({ elements, confirmParams, redirect } = {}) => {
      if (!confirmParams?.return_url) fail('You must provide a `return_url` in `confirmParams`.');
      const frame = elements?.frame() || fail('`elements` should have a mounted Payment Element.');
      const answer = message(frame, here, 'answer');
      const secret = elements.clientSecret;
      frame.contentWindow.postMessage({ fake: 'confirm', key, secret, intent: intentOf(secret), api, back: confirmParams.return_url }, here);
      let { result } = await answer;
      if (result.paymentIntent?.status === 'requires_action') result = await authenticate(secret);
      if (result.paymentIntent && redirect !== 'if_required') {
        const query = new URLSearchParams({ payment_intent: intentOf(secret), payment_intent_client_secret: secret, redirect_status: 'succeeded' });
        location.assign(`${confirmParams.return_url}?${query}`);
        return new Promise(() => {});
      }
      return result;
    };

    const handleNextAction = async ({ clientSecret }) => {
      const read = await retrieve(clientSecret);
      if (read.paymentIntent?.status !== 'requires_action') fail('handleNextAction: The PaymentIntent is not in the requires_action state.');
      return authenticate(clientSecret);
    };

    void options;
    return { elements, confirmPayment, handleNextAction, retrievePaymentIntent: retrieve };
  };
})();
