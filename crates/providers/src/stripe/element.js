// Stripe's card form, in the checkout's page. The card goes from its frame to Stripe; neither this script nor the shop
// sees it. What became of the payment is asked of our server, never believed from here.
(() => {
  const place = document.querySelector('[data-element]');
  if (!place) return;
  const russian = document.documentElement.lang === 'ru';
  const word = (english, text) => (russian ? text : english);
  const { publishable_key: key, client_secret: clientSecret, script, back } = JSON.parse(place.dataset.values);

  const tell = (text, kind) => {
    const line = document.createElement('p');
    line.className = kind;
    if (kind === 'err') line.setAttribute('role', 'alert');
    line.textContent = text;
    line.dataset.testid = `element-${kind}`;
    return line;
  };
  const working = () => tell(word('The bank is working on it', 'Банк обрабатывает платёж'), 'wait');
  const unreachable = () => place.replaceChildren(tell(word(
    'The card form could not be loaded. Reload the page, or choose another way to pay.',
    'Не удалось загрузить форму карты. Обновите страницу или выберите другой способ оплаты.',
  ), 'err'));

  // Our server asks Stripe, and shows what is true.
  const settle = () => {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = `${new URL(back, location).pathname}/check`;
    form.hidden = true;
    document.body.append(form);
    form.submit();
  };

  const ask = async stripe => {
    place.replaceChildren(working());
    const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret);
    if (paymentIntent?.status !== 'requires_action') return;
    // The page was loaded anew while the bank asked its question.
    await stripe.handleNextAction({ clientSecret });
    settle();
  };

  const mount = stripe => {
    const elements = stripe.elements({ clientSecret, locale: russian ? 'ru' : 'en' });
    const form = document.createElement('form');
    const field = document.createElement('div');
    const button = document.createElement('button');
    let problem = document.createElement('p');
    problem.hidden = true;
    form.className = 'tight';
    button.className = 'btn go full';
    button.dataset.testid = 'element-pay';
    button.textContent = word('Pay', 'Оплатить');
    form.append(field, problem, button);
    place.replaceChildren(form);
    const element = elements.create('payment');
    element.on?.('loaderror', unreachable);
    element.mount(field);
    form.addEventListener('submit', async event => {
      event.preventDefault();
      if (button.disabled) return;
      button.disabled = true;
      const { error } = await stripe.confirmPayment({ elements, confirmParams: { return_url: back }, redirect: 'if_required' })
        .catch(() => ({ error: { type: 'api_connection_error' } }));
      // What Stripe never tried can be tried again; everything else is for our server to say.
      if (error?.type === 'validation_error') button.disabled = false;
      else if (error?.type === 'api_connection_error') {
        const line = tell(word('No connection to the bank. Try again.', 'Нет связи с банком. Попробуйте ещё раз.'), 'err');
        problem.replaceWith(line);
        problem = line;
        button.disabled = false;
      } else settle();
    });
  };

  const load = document.createElement('script');
  load.src = script;
  load.addEventListener('error', unreachable);
  load.addEventListener('load', () => {
    const stripe = window.Stripe(key);
    if ('inFlight' in place.dataset) ask(stripe).catch(() => {});
    else mount(stripe);
  });
  document.head.append(load);
})();
