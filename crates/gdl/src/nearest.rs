//! The name that was probably meant: nearest by edit distance, and near enough to be worth offering. Whoever reports an
//! unknown name, here or in the program, asks this.

/// The candidate nearest to `name`, if one is near.
pub fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    // Long names are no typing errors of each other, and comparing them would be slow.
    const LONGEST: usize = 64;
    let allowed = (name.chars().count() / 3).max(1);
    candidates
        .filter(|candidate| candidate.len() <= LONGEST && name.len() <= LONGEST && *candidate != name)
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= allowed && distance < name.len().max(candidate.len()))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_near_names_are_offered() {
        let names = ["control", "cell", "succ"];
        assert_eq!(nearest("contrl", names.into_iter()), Some("control"));
        assert_eq!(nearest("suc", names.into_iter()), Some("succ"));
        assert_eq!(nearest("adjacent", names.into_iter()), None);
    }
}
