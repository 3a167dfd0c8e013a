//! Draws diagnostics for people: the message, the lines of source with their labels, and the help. The renderer is given
//! only the labelled lines, cut to a bounded width, so that a file of a hundred megabytes in one line is no special case.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use groundrules_gdl::{Diagnostic, Label, Lines, Severity};

/// How many lines of a long span are shown.
const MOST_LINES: usize = 8;
/// Lines are cut to about this many bytes before and behind a label; the renderer trims what does not fit the page.
const WIDEST: usize = 2_000;

/// Draws diagnostics of one text.
pub struct Painter<'text> {
    text: &'text [u8],
    name: &'text str,
    renderer: Renderer,
}

/// A piece of the text with the labels in it.
struct Excerpt<'d> {
    start: usize,
    end: usize,
    labels: Vec<(&'d Label, bool)>,
}

impl<'text> Painter<'text> {
    /// A painter for the text called `name`.
    pub fn new(name: &'text str, text: &'text [u8]) -> Self {
        // The output stream takes the colours out where they are not wanted.
        Painter { text, name, renderer: Renderer::styled().decor_style(DecorStyle::Unicode).term_width(120) }
    }

    /// The diagnostic as text with colours.
    pub fn paint(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(clean(diagnostic.message.as_bytes())).id(diagnostic.code.id);
        let excerpts = self.excerpts(diagnostic);
        let mut group = if excerpts.is_empty() {
            Group::with_title(title).element(annotate_snippets::Origin::path(self.name))
        } else {
            let mut group = Group::with_title(title);
            for excerpt in &excerpts {
                if let Some(origin) = self.origin(excerpt) {
                    group = group.element(origin);
                }
                group = group.element(self.snippet(excerpt));
            }
            group
        };
        for help in &diagnostic.help {
            group = group.element(Level::HELP.message(clean(help.as_bytes())));
        }
        self.renderer.render(&[group])
    }

    /// Where an excerpt's main label stands, if its line is cut at the beginning: the renderer would count from the cut.
    fn origin(&self, excerpt: &Excerpt<'_>) -> Option<annotate_snippets::Origin<'_>> {
        let is_cut = excerpt.start > 0 && self.text[excerpt.start - 1] != b'\n';
        let main = excerpt.labels.iter().find(|(_, primary)| *primary).or(excerpt.labels.first())?;
        let position = is_cut.then(|| Lines::new(self.text).position(main.0.span.start))?;
        let (line, column) = (position.line as usize, position.column as usize);
        Some(annotate_snippets::Origin::path(self.name).line(line).char_column(column))
    }

    fn snippet<'a>(&'a self, excerpt: &Excerpt<'a>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let line = memchr_count(b'\n', &self.text[..excerpt.start]) + 1;
        let source = clean(&self.text[excerpt.start..excerpt.end]);
        let annotations = excerpt.labels.iter().map(|(label, primary)| {
            // Spans lie on characters, but not where the text is no UTF-8.
            let clamp = |offset: u32| {
                let offset = (offset as usize).clamp(excerpt.start, excerpt.end) - excerpt.start;
                (0..=offset).rev().find(|&at| source.is_char_boundary(at)).unwrap_or(0)
            };
            let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(clamp(label.span.start)..clamp(label.span.end));
            if label.text.is_empty() { annotation } else { annotation.label(clean(label.text.as_bytes())) }
        });
        let annotations: Vec<_> = annotations.collect();
        let path = self.origin(excerpt).is_none().then_some(self.name);
        Snippet::source(source).line_start(line).path(path).fold(true).annotations(annotations)
    }

    /// The pieces of text to show, in order; labels that are near each other share one.
    fn excerpts<'d>(&self, diagnostic: &'d Diagnostic) -> Vec<Excerpt<'d>> {
        let mut labels: Vec<(&Label, bool)> =
            diagnostic.labels.iter().enumerate().map(|(index, label)| (label, index == 0)).collect();
        // An empty span is no place: the diagnostic is about the whole text.
        labels.retain(|(label, _)| label.span.start < label.span.end);
        labels.sort_by_key(|(label, _)| label.span);
        let mut excerpts: Vec<Excerpt<'d>> = Vec::new();
        for (label, primary) in labels {
            let (start, end) = self.lines_around(label);
            match excerpts.last_mut() {
                Some(last) if start <= last.end + WIDEST && start >= last.start => {
                    last.end = last.end.max(end);
                    last.labels.push((label, primary));
                }
                _ => excerpts.push(Excerpt { start, end, labels: vec![(label, primary)] }),
            }
        }
        excerpts
    }

    /// The whole lines around a label, or a bounded part of them.
    fn lines_around(&self, label: &Label) -> (usize, usize) {
        let range = label.span.range();
        let from = range.start.min(self.text.len());
        let before = &self.text[from.saturating_sub(WIDEST)..from];
        let start = match before.iter().rposition(|&byte| byte == b'\n') {
            Some(at) => from - before.len() + at + 1,
            None => self.boundary(from - before.len()),
        };
        let mut end = from;
        for _ in 0..MOST_LINES {
            let rest = &self.text[end..self.text.len().min(end + WIDEST)];
            match rest.iter().position(|&byte| byte == b'\n') {
                Some(at) if end + at < range.end => end += at + 1,
                Some(at) => return (start, end + at),
                None => return (start, self.boundary(end + rest.len())),
            }
        }
        (start, end.saturating_sub(1).max(from))
    }

    /// The next offset at which a character begins.
    fn boundary(&self, mut offset: usize) -> usize {
        while self.text.get(offset).is_some_and(|byte| byte & 0xC0 == 0x80) {
            offset += 1;
        }
        offset
    }
}

fn memchr_count(needle: u8, text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == needle).count()
}

/// The bytes as text of the same length, so that spans still fit: what cannot be shown becomes a question mark.
fn clean(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.extend(
            chunk
                .valid()
                .chars()
                .map(|c| if c.is_ascii_control() && c != '\n' && c != '\t' { ' ' } else { c }),
        );
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use groundrules_gdl::{Options, read};

    /// All the diagnostics of a text, drawn without colours.
    fn drawn(text: &[u8]) -> String {
        let painter = Painter::new("text", text);
        let diagnostics = read(text, &Options::default()).diagnostics;
        let drawn: String = diagnostics.iter().map(|diagnostic| painter.paint(diagnostic) + "\n").collect();
        anstream::adapter::strip_str(&drawn).to_string()
    }

    #[test]
    fn any_text_can_be_drawn() {
        let long = format!("(role a{})", "é".repeat(3_000));
        let cut = format!("{}(p ?ü) (role\u{A0}x)\t(q ?y)", "é ".repeat(4_000));
        let many_lines = format!("(<= p (q ?x)\n{}", "\n".repeat(100));
        for text in [
            long.as_bytes(),
            cut.as_bytes(),
            many_lines.as_bytes(),
            b"(\xFF\xC3 ?x \xE2\x82",
            b"\0(p\t?x)\r\n)",
            b"",
        ] {
            assert!(!drawn(text).is_empty());
        }
        let all: Vec<u8> = (0..=255).cycle().take(3_000).collect();
        assert!(drawn(&all).contains("error"));
    }

    #[test]
    fn places_in_long_lines_are_true() {
        let text = format!("{}(p ?x)", "(q 1) ".repeat(1_000));
        assert!(drawn(text.as_bytes()).contains("text:1:6004"), "{}", drawn(text.as_bytes()));
        let text = format!("{}(p ?x)", " ".repeat(400));
        assert!(drawn(text.as_bytes()).contains("text:1:404"));
    }
}
