//! Which code an input has reached: LLVM's counters, one for each branch, which `cargo xtask fuzz`
//! has the compiler put in. Without them every input is as good as another.
//!
//! The only unsafe code of the repository, and in no crate that is published.

use std::sync::Mutex;

/// The counters of one part of the program.
#[derive(Clone, Copy)]
struct Region {
    start: *mut u8,
    len: usize,
}

// SAFETY: the counters live as long as the program, and a torn or lost count does no harm.
unsafe impl Send for Region {}

static REGIONS: Mutex<Vec<Region>> = Mutex::new(Vec::new());

/// Called before `main`, by what the compiler has put in.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    let len = stop as usize - start as usize;
    if let Ok(mut regions) = REGIONS.lock() {
        regions.push(Region { start, len });
    }
}

/// What all inputs so far have reached.
pub struct Coverage {
    regions: Vec<Region>,
    /// For each counter the orders of magnitude that were seen, as bits.
    seen: Vec<u8>,
}

impl Coverage {
    pub fn new() -> Self {
        let regions = REGIONS
            .lock()
            .map_or_else(|_| Vec::new(), |regions| regions.clone());
        let len = regions.iter().map(|region| region.len).sum();
        Self {
            regions,
            seen: vec![0; len],
        }
    }

    /// How many branches there are; none where the compiler has put no counters in.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    pub fn reached(&self) -> usize {
        self.seen.iter().filter(|seen| **seen != 0).count()
    }

    pub fn reset(&mut self) {
        for Region { start, len } in &self.regions {
            // SAFETY: the region is the compiler's array of counters, `len` bytes of it.
            unsafe { start.write_bytes(0, *len) };
        }
    }

    /// Whether the input since the last reset has reached something new.
    pub fn take(&mut self) -> bool {
        let mut is_new = false;
        let mut seen = self.seen.iter_mut();
        for Region { start, len } in &self.regions {
            for (place, seen) in (0..*len).zip(&mut seen) {
                // SAFETY: `place` is below the region's length.
                let count = unsafe { start.add(place).read_volatile() };
                if count != 0 {
                    let bit = 1 << count.ilog2();
                    is_new |= *seen & bit == 0;
                    *seen |= bit;
                }
            }
        }
        is_new
    }
}
