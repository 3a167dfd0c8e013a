//! What the editor asks of a text: everything is known to the crate `analysis`; here it becomes JSON with places in UTF-16.

use groundrules_analysis::grounding::Grounding;
use groundrules_analysis::{Document, complete, fixes, hover, layout, navigate, rename};
use groundrules_gdl::{Edit, Fix, Game, Severity, Span, codes};
use groundrules_ground::GroundGame;
use serde_json::{Value, json};

use crate::limits::MOST_SHOWN;
use crate::offsets::Offsets;
use crate::session::Answer;

/// A description that is open.
pub(crate) struct Editor {
    document: Document,
    offsets: Offsets,
    /// What grounding knows, once this text was compiled.
    grounding: Option<Grounding>,
}

impl Editor {
    pub(crate) fn new(text: String) -> Self {
        let offsets = Offsets::of(&text);
        Editor { document: Document::new(text), offsets, grounding: None }
    }

    /// Takes over what the ground game of this text says about its rules.
    pub(crate) fn learn(&mut self, game: &Game, ground: &GroundGame) {
        self.grounding = Some(Grounding::of(game, ground));
    }

    pub(crate) fn reading(&self) -> &groundrules_analysis::Reading {
        self.document.reading()
    }

    /// The game, if the description is valid.
    pub(crate) fn game(&self) -> Result<Game, String> {
        let checked = self.reading().checked();
        checked.game.clone().ok_or_else(|| {
            let mut errors = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error);
            let first = errors.next().map_or("it is not GDL", |found| &found.message);
            format!("the description has errors: {first}")
        })
    }

    /// Verdict, diagnostics, figures.
    pub(crate) fn report(&self) -> Value {
        let checked = self.reading().checked();
        let found = self.reading().diagnostics().iter().take(MOST_SHOWN);
        let diagnostics: Vec<Value> = found
            .map(|found| {
                let fixes = fixes::of(self.reading(), found);
                let labels = found.labels.iter().skip(1);
                json!({
                    "code": found.code.id,
                    "title": found.code.title,
                    "severity": severity(found.severity),
                    "from": self.units(found.span().start),
                    "to": self.units(found.span().end),
                    "message": found.message,
                    "here": found.labels[0].text,
                    "labels": labels.map(|label| json!({
                        "from": self.units(label.span.start), "to": self.units(label.span.end), "text": label.text,
                    })).collect::<Vec<_>>(),
                    "help": found.help,
                    "fixes": fixes.iter().map(|fix| self.fix(fix)).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "verdict": checked.verdict,
            "words": checked.verdict.words(),
            "reason": checked.reason,
            "playable": checked.game.is_some(),
            "diagnostics": diagnostics,
            "omitted": checked.omitted,
            "figures": checked.figures,
        })
    }

    pub(crate) fn hover(&self, at: usize) -> Value {
        let found = hover::at(self.reading(), self.byte(at), self.grounding.as_ref());
        found.map_or(Value::Null, |found| {
            json!({ "from": self.units(found.span.start), "to": self.units(found.span.end), "markdown": found.markdown })
        })
    }

    pub(crate) fn names(&self, at: usize) -> Value {
        let at = self.byte(at);
        let definitions: Vec<Value> =
            navigate::definitions(self.reading(), at).iter().map(|&span| self.span(span)).collect();
        let uses: Vec<Value> =
            navigate::references(self.reading(), at).iter().map(|word| self.span(word.span)).collect();
        json!({ "definitions": definitions, "uses": uses })
    }

    pub(crate) fn complete(&self, at: usize) -> Value {
        let found = complete::at(self.reading(), self.byte(at));
        let items = found.iter().take(MOST_SHOWN).map(|found| {
            json!({ "label": found.label, "detail": found.detail, "rank": found.rank, "edit": self.edit(&found.plain) })
        });
        items.collect()
    }

    pub(crate) fn rename(&self, at: usize, name: Option<&str>) -> Answer {
        let at = self.byte(at);
        match name {
            None => {
                let (span, text) =
                    rename::prepare(self.reading(), at).map_err(|refusal| refusal.to_string())?;
                Ok(json!({ "at": self.span(span), "text": text }))
            }
            Some(name) => {
                let edits =
                    rename::rename(self.reading(), at, name).map_err(|refusal| refusal.to_string())?;
                Ok(edits.iter().map(|edit| self.edit(edit)).collect())
            }
        }
    }

    pub(crate) fn format(&self) -> Value {
        layout::whole(self.reading()).iter().map(|edit| self.edit(edit)).collect()
    }

    /// The text of a diagnostic code.
    pub(crate) fn explain(code: &str) -> Answer {
        let code = codes::find(code).ok_or_else(|| format!("there is no diagnostic code `{code}`"))?;
        Ok(json!({
            "code": code.id, "title": code.title, "explanation": code.explanation, "wrong": code.wrong, "right": code.right,
        }))
    }

    fn fix(&self, fix: &Fix) -> Value {
        let edits: Vec<Value> = fix.edits.iter().map(|edit| self.edit(edit)).collect();
        json!({ "title": fix.title, "safe": fix.safe, "edits": edits })
    }

    fn edit(&self, edit: &Edit) -> Value {
        json!({ "from": self.units(edit.span.start), "to": self.units(edit.span.end), "insert": edit.text })
    }

    fn span(&self, span: Span) -> Value {
        json!([self.units(span.start), self.units(span.end)])
    }

    fn units(&self, byte: u32) -> usize {
        self.offsets.units(byte as usize)
    }

    fn byte(&self, unit: usize) -> usize {
        self.offsets.bytes(unit, self.document.text())
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    }
}
