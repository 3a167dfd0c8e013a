//! Symbols of the interpreter are resolved when it loads the module; some linkers must be told so.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
