//! Code where JavaScript is the host: a module is compiled and instantiated from memory, with the memory of this program, and its
//! functions are put into this program's table of functions, where a function pointer is an index.

use std::cell::RefCell;

use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};

use super::super::encode::Width;
use super::super::registers::VectorProgram;
use super::module::{HALF, MEMORY_NAME, function_name, module};

thread_local! {
    /// Places of the table whose functions are gone.
    static FREE: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Functions in the table of this program.
pub(in super::super) struct Functions {
    places: Vec<u32>,
}

/// The bytes of a module for a program, and the numbers of its functions.
pub(super) fn encode(steps: &VectorProgram, width: Width) -> Option<(Vec<u8>, Vec<usize>)> {
    (width == Width::Bits256)
        .then(|| module(steps))
        .flatten()
        .map(|bytes| (bytes, (0..steps.ends.len()).collect()))
}

impl Functions {
    /// Compiles a module; `None` if the host refuses.
    pub(super) fn new(bytes: &[u8], starts: Vec<usize>) -> Option<Functions> {
        let module = WebAssembly::Module::new(&Uint8Array::from(bytes)).ok()?;
        let (imports, host) = (Object::new(), Object::new());
        Reflect::set(&host, &MEMORY_NAME.into(), &wasm_bindgen::memory()).ok()?;
        Reflect::set(&imports, &"host".into(), &host).ok()?;
        let exports = WebAssembly::Instance::new(&module, &imports).ok()?.exports();
        let table: WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
        let mut functions = Functions { places: Vec::new() };
        for chunk in starts {
            let function: Function =
                Reflect::get(&exports, &function_name(chunk).into()).ok()?.dyn_into().ok()?;
            let free = FREE.with(|free| free.borrow_mut().pop());
            let place = match free {
                Some(place) => place,
                None => table.grow(1).ok()?,
            };
            table.set(place, &function).ok()?;
            functions.places.push(place);
        }
        Some(functions)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// # Safety
    /// The code must be a function of two pointers that may be called with these, and with those of the second halves.
    #[inline]
    pub(super) unsafe fn call(&self, number: usize, memory: *mut u8, random: *const u8) {
        let place = self.places[number] as usize;
        // SAFETY: a function pointer is an index of the table, and at this one stands a function of this type.
        let function: extern "C" fn(*mut u8, *const u8) = unsafe { std::mem::transmute(place) };
        function(memory, random);
        function(memory.wrapping_add(HALF), random.wrapping_add(HALF));
    }
}

impl Drop for Functions {
    fn drop(&mut self) {
        let table: WebAssembly::Table = wasm_bindgen::function_table().unchecked_into();
        for &place in &self.places {
            // What the host holds on to is lost; nothing calls it any more.
            let _ = table.set(place, JsValue::NULL.unchecked_ref());
            FREE.with(|free| free.borrow_mut().push(place));
        }
    }
}

/// Whether there are vectors of 128 bits, of which two make one.
pub(in super::super) fn has_256() -> bool {
    cfg!(target_feature = "simd128")
}

pub(in super::super) fn has_512() -> bool {
    false
}

pub(in super::super) fn widely<W: super::Work>(_: usize, work: W) -> W::Result {
    work.run()
}
