extension ArtifactPage {
  /// The colours of the pictures.
  static let style = """
    :root {
      color-scheme: light dark;
      --page: #ffffff; --panel: #f6f8fa; --text: #1f2328; --muted: #59636e; --line: #d1d9e0;
      --failed: #cf222e; --passed: #1a7f37; --link: #0969da;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #0d1117; --panel: #151b23; --text: #f0f6fc; --muted: #a5adb6; --line: #3d444d;
        --failed: #ff6a61; --passed: #3fb950; --link: #4493f8;
      }
    }
    * { box-sizing: border-box; }
    html { scroll-behavior: smooth; }
    @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
    body {
      margin: 0 auto; max-width: 1064px; padding: 40px 32px 96px; background: var(--page);
      color: var(--text); font: 15px/1.5 system-ui, sans-serif;
      font-variant-numeric: tabular-nums;
    }
    h1, h2, h3, p, ol, figure { margin: 0; }
    a { color: var(--link); text-underline-offset: 2px; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
    .program { color: var(--muted); }
    h1 { font-size: 34px; line-height: 1.2; font-weight: 650; letter-spacing: -0.015em; }
    nav { margin-top: 20px; }
    nav ol { padding: 0; list-style: none; border-top: 1px solid var(--line); }
    nav li {
      display: grid; grid-template-columns: minmax(200px, 2fr) 3fr; gap: 4px 24px;
      padding: 8px 0; border-bottom: 1px solid var(--line);
    }
    nav a { font-weight: 550; }
    nav span { color: var(--muted); }
    section { margin-top: 64px; scroll-margin-top: 16px; }
    h2 {
      font-size: 22px; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em;
      padding-top: 14px; border-top: 3px solid var(--failed);
    }
    .file { color: var(--muted); font: 13px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
    table { width: 100%; margin-top: 16px; border-collapse: collapse; }
    th, td { padding: 7px 16px 7px 0; text-align: left; vertical-align: baseline; }
    thead th { padding-top: 0; color: var(--muted); font-size: 13px; font-weight: 400; }
    tbody tr { border-top: 1px solid var(--line); }
    tbody th { font-weight: 400; width: 50%; }
    tbody td:nth-child(2) { width: 24%; }
    .failed td:nth-child(2) { color: var(--failed); font-weight: 600; }
    .failed th { font-weight: 600; }
    .passed { color: var(--muted); }
    .mark {
      display: inline-block; width: 60px; font-size: 13px; font-weight: 600; color: var(--passed);
    }
    .failed .mark { color: var(--failed); }
    time button {
      font: inherit; color: var(--link); background: none; border: 0; padding: 0; cursor: pointer;
      text-decoration: underline; text-underline-offset: 2px;
    }
    .note {
      margin-top: 16px; padding: 10px 14px; background: var(--panel); border-radius: 6px;
      max-width: 75ch;
    }
    .note + .note { margin-top: 8px; }
    .sounds {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(280px, 1fr)); gap: 24px;
      margin-top: 24px;
    }
    h3 { font-size: 15px; font-weight: 650; }
    audio { display: block; width: 100%; height: 40px; margin: 6px 0 4px; }
    .sound p { color: var(--muted); font-size: 13px; overflow-wrap: anywhere; }
    .sound .absent { margin: 6px 0 4px; padding: 9px 0; }
    figure { margin-top: 32px; }
    img {
      display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px;
    }
    @media (max-width: 640px) {
      body { padding: 24px 16px 64px; }
      h1 { font-size: 28px; }
      nav li { grid-template-columns: 1fr; }
      thead { position: absolute; clip-path: inset(50%); }
      tbody tr { display: block; padding: 8px 0; }
      tbody th, tbody td { display: block; width: auto !important; padding: 0; }
      tbody td { padding-left: 64px; }
      tbody td:empty { display: none; }
    }
    @media print {
      section { break-before: page; }
      audio { display: none; }
    }
    """

  /// One sound plays at a time. The next one starts at the position of the last one, so that two
  /// can be compared. A click on a time starts a little before it.
  static let script = """
    for (const section of document.querySelectorAll("section")) {
      const sounds = [...section.querySelectorAll("audio")];
      let last = null;
      for (const sound of sounds) {
        sound.addEventListener("play", () => {
          for (const other of document.querySelectorAll("audio")) if (other !== sound) other.pause();
          if (last && last !== sound && !last.ended && last.currentTime < sound.duration) {
            sound.currentTime = last.currentTime;
          }
          last = sound;
        });
      }
      if (sounds.length === 0) continue;
      for (const time of section.querySelectorAll("time[data-seconds]")) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = time.textContent;
        button.title = "Listen from there";
        button.addEventListener("click", () => {
          const sound = sounds.find((sound) => !sound.paused) ?? last ?? sounds[0];
          last = sound;
          sound.currentTime = Math.max(0, Number(time.dataset.seconds) - 0.5);
          sound.play();
        });
        time.replaceChildren(button);
      }
    }
    """
}
