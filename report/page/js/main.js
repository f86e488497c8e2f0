// The page's script, as it is: no imports. Charts, tables and the switch work without it. It adds the stepper's
// buttons and opens all details for print.
(() => {
  const opened = [];
  function open() {
    if (opened.length > 0) return;
    for (const one of document.querySelectorAll('details:not([open])')) {
      one.open = true;
      opened.push(one);
    }
  }
  function close() {
    for (const one of opened.splice(0)) one.open = false;
  }
  addEventListener('beforeprint', open);
  addEventListener('afterprint', close);
  matchMedia('print').addEventListener('change', (event) => (event.matches ? open() : close()));

  for (const stepper of document.querySelectorAll('.stepper')) {
    const frames = [...stepper.querySelectorAll('li')];
    const button = (text, name) => Object.assign(document.createElement('button'), { type: 'button', textContent: text, ariaLabel: name });
    const bar = Object.assign(document.createElement('div'), { className: 'buttons' });
    const [back, on] = [button('\u2190', 'Step back'), button('\u2192', 'Next step')];
    const place = document.createElement('output');
    let at = 0;
    function show(next) {
      at = Math.max(0, Math.min(frames.length - 1, next));
      frames.forEach((frame, i) => frame.classList.toggle('shown', i === at));
      place.textContent = `${at + 1} of ${frames.length}`;
      back.disabled = at === 0;
      on.disabled = at === frames.length - 1;
    }
    back.addEventListener('click', () => show(at - 1));
    on.addEventListener('click', () => show(at + 1));
    stepper.addEventListener('keydown', (event) => {
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: frames.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      show(to);
    });
    let begun = null;
    stepper.addEventListener('touchstart', (event) => (begun = event.touches[0].clientX), { passive: true });
    stepper.addEventListener(
      'touchend',
      (event) => {
        const moved = event.changedTouches[0].clientX - begun;
        if (Math.abs(moved) > 40) show(at + (moved < 0 ? 1 : -1));
      },
      { passive: true },
    );
    bar.append(back, place, on);
    stepper.prepend(bar);
    stepper.tabIndex = 0;
    stepper.classList.add('live');
    show(0);
  }
})();
