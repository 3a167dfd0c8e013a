//! What a client may set, as `initializationOptions` or by `workspace/didChangeConfiguration` under `groundrules`.

use serde::Deserialize;
use serde_json::Value;

/// The settings of a client.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Show the ground instances of each rule.
    pub instance_hints: bool,
    /// Show the number of values of each variable.
    pub domain_hints: bool,
    /// Show lenses above the first rule.
    pub lenses: bool,
    /// Ground and explore in the background.
    pub background: bool,
    /// The most seconds that each part of the background work may take.
    pub background_seconds: u64,
    /// The commands that the client carries out itself, for lenses: `groundrules.play`, `groundrules.verify`,
    /// `groundrules.network`.
    pub commands: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            instance_hints: true,
            domain_hints: false,
            lenses: true,
            background: true,
            background_seconds: 3,
            commands: Vec::new(),
        }
    }
}

impl Settings {
    /// The settings in a value; what cannot be read is as by default.
    pub fn read(value: Option<Value>) -> Self {
        let value = value.unwrap_or_default();
        let own = value.get("groundrules").cloned().unwrap_or(value);
        serde_json::from_value(own).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_missing_or_wrong_is_as_by_default() {
        assert_eq!(Settings::read(None), Settings::default());
        assert_eq!(Settings::read(Some(json!(7))), Settings::default());
        let settings = Settings::read(Some(json!({ "groundrules": { "lenses": false } })));
        assert!(!settings.lenses && settings.background);
    }
}
