//! The folder by itself: damage, versions, limits, several writers at once.

use super::*;

fn files(cache: &Cache) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(cache.folder())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

/// A folder with one thing in it, and its file.
fn with_one() -> (tempfile::TempDir, Cache, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::at(folder.path().join("of/its/own"));
    cache.keep(b"name", b"content");
    let file = files(&cache).pop().expect("a file");
    (folder, cache, file)
}

#[test]
fn what_is_kept_is_found_under_its_name_only() {
    let (_folder, cache, _) = with_one();
    assert_eq!(cache.find(b"name"), Some(b"content".to_vec()));
    assert_eq!(cache.find(b"nam"), None);
    cache.keep(b"name", b"another");
    assert_eq!(cache.find(b"name"), Some(b"another".to_vec()));
    assert_eq!(files(&cache).len(), 1);
}

#[test]
fn another_version_finds_nothing() {
    let (_folder, cache, _) = with_one();
    assert_eq!(cache.clone().with_version("2").find(b"name"), None);
    assert_eq!(Cache::at(cache.folder()).find(b"name"), Some(b"content".to_vec()));
}

#[test]
fn damaged_files_are_missing() {
    let (_folder, cache, file) = with_one();
    let whole = fs::read(&file).expect("the file");
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        fs::write(&file, &damaged).expect("written");
        assert_eq!(cache.find(b"name"), None, "byte {place}");
    }
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).expect("written");
        assert_eq!(cache.find(b"name"), None, "the first {length} bytes");
    }
    fs::write(&file, [&whole[..], b"more"].concat()).expect("written");
    assert_eq!(cache.find(b"name"), None, "more bytes");
    // A damaged file is replaced.
    cache.keep(b"name", b"content");
    assert_eq!(cache.find(b"name"), Some(b"content".to_vec()));
}

#[test]
fn the_file_of_another_name_is_not_taken() {
    let (_folder, cache, file) = with_one();
    fs::rename(file, cache.path(&cache.digest(b"other"))).expect("renamed");
    assert_eq!(cache.find(b"other"), None);
}

#[test]
fn what_was_not_used_for_longest_goes_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::at(folder.path()).with_most_bytes(5 * (100 + HEADER as u64));
    let old = SystemTime::now() - Duration::from_secs(1000);
    for number in 0..5_u8 {
        cache.keep(&[number], &[number; 100]);
        let file = File::options().write(true).open(cache.path(&cache.digest(&[number]))).expect("kept");
        file.set_modified(old + Duration::from_secs(u64::from(number))).expect("a time");
    }
    assert!(cache.find(&[0]).is_some(), "from now on it was used last");
    cache.keep(&[5], &[5; 100]);
    let left: Vec<u8> = (0..6).filter(|&number| cache.find(&[number]).is_some()).collect();
    assert_eq!(left, [0, 2, 3, 4, 5]);
    cache.keep(&[6], &[6; 500]);
    assert_eq!(cache.find(&[6]), None, "too large a part of the whole");
}

#[test]
fn what_nobody_completes_is_removed() {
    let (_folder, cache, _) = with_one();
    let (abandoned, coming) = (cache.folder().join("a.coming"), cache.folder().join("b.coming"));
    fs::write(&coming, b"half").expect("written");
    fs::write(&abandoned, b"half").expect("written");
    let file = File::options().write(true).open(&abandoned).expect("there");
    file.set_modified(SystemTime::now() - 2 * ABANDONED).expect("a time");
    cache.keep(b"another", b"content");
    assert!(coming.exists() && !abandoned.exists());
}

#[test]
fn a_folder_that_cannot_be_made_keeps_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, b"no folder").expect("written");
    let cache = Cache::at(file.join("below"));
    cache.keep(b"name", b"content");
    assert_eq!(cache.find(b"name"), None);
}

#[test]
fn writers_at_once_leave_whole_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::at(folder.path()).with_most_bytes(40_000);
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let cache = &cache;
            scope.spawn(move || {
                for round in 0..50_u8 {
                    let name = [round % 8];
                    cache.keep(&name, &vec![name[0]; 1000 + 100 * usize::from(thread)]);
                    if let Some(found) = cache.find(&name) {
                        assert!(found.iter().all(|&byte| byte == name[0]) && found.len() >= 1000);
                    }
                }
            });
        }
    });
    assert!(files(&cache).iter().all(|file| file.extension().is_some_and(|end| end == KEPT)));
}

#[test]
fn the_environment_names_the_folder() {
    let of = |given: &[(&str, &str)]| {
        folder(|name| given.iter().find(|(own, _)| *own == name).map(|(_, path)| PathBuf::from(path)))
    };
    assert_eq!(of(&[(VARIABLE, "off"), ("HOME", "/home/you")]), None);
    assert_eq!(of(&[(VARIABLE, "here"), ("HOME", "/home/you")]), Some("here".into()));
    assert_eq!(of(&[]), None);
    if cfg!(target_os = "linux") {
        assert_eq!(of(&[("HOME", "/home/you"), (VARIABLE, "")]), Some("/home/you/.cache/groundrules".into()));
        assert_eq!(of(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]), Some("/c/groundrules".into()));
        assert_eq!(of(&[("XDG_CACHE_HOME", "c"), ("HOME", "/h")]), Some("/h/.cache/groundrules".into()));
    }
}
