use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::coverage::Coverage;
use crate::mutate::{Random, mutate};
use crate::target::Target;

/// Inputs given so far, by which another thread sees that one does not end.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Mutates inputs until the time is over or one crashes.
pub fn run(target: &Target, time: Duration, folder: &Path) -> io::Result<ExitCode> {
    let folders = Folders::of(target, folder)?;
    let seed = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut random = Random::new(seed.unwrap_or_default().as_nanos() as u64);
    let mut coverage = Coverage::new();
    let mut current = File::create(&folders.current)?;
    let mut corpus = Vec::new();
    let mut begin = target.seeds.clone();
    begin.extend(folders.kept()?);
    watch(target.name, folders.crash.clone(), folders.current.clone());
    panic::set_hook(Box::new(|panic| eprintln!("{panic}")));

    let start = Instant::now();
    let mut report = Duration::from_secs(10);
    let mut next = begin.into_iter();
    let mut fresh = 0_u64;
    loop {
        let (input, is_seed) = match next.next() {
            Some(input) => (input, true),
            None if start.elapsed() >= time => break,
            None => (mutant(&corpus, &mut random), false),
        };
        write_over(&mut current, &input)?;
        coverage.reset();
        if panic::catch_unwind(AssertUnwindSafe(|| target.run(&input))).is_err() {
            fs::rename(&folders.current, &folders.crash)?;
            println!(
                "{}: crash, input saved in {}",
                target.name,
                folders.crash.display()
            );
            return Ok(ExitCode::from(1));
        }
        RUNS.fetch_add(1, Ordering::Relaxed);
        if coverage.take() || is_seed {
            if !is_seed {
                folders.keep(&input)?;
                fresh += 1;
            }
            corpus.push(input);
        }
        if start.elapsed() >= report {
            report += Duration::from_secs(10);
            println!(
                "{}: {}",
                target.name,
                progress(&coverage, corpus.len(), fresh, start)
            );
        }
    }
    println!(
        "{}: no crash: {}",
        target.name,
        progress(&coverage, corpus.len(), fresh, start)
    );
    fs::remove_file(&folders.current)?;
    Ok(ExitCode::SUCCESS)
}

/// A change of one of the inputs: of a late one more often, since it has reached what is new.
fn mutant(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let end = corpus.len();
    let from = if random.below(3) == 0 {
        0
    } else {
        end - end / 4
    };
    let place = (from + random.below(end - from)).min(end.saturating_sub(1));
    let empty = Vec::new();
    let input = corpus.get(place).unwrap_or(&empty);
    let other = corpus.get(random.below(end)).unwrap_or(&empty);
    mutate(input, other, random)
}

fn progress(coverage: &Coverage, corpus: usize, fresh: u64, start: Instant) -> String {
    let runs = RUNS.load(Ordering::Relaxed);
    let branches = match coverage.len() {
        0 => "branches not counted".to_owned(),
        all => format!("{} of {all} branches", coverage.reached()),
    };
    let a_second = runs as f64 / start.elapsed().as_secs_f64();
    format!("{runs} runs, {a_second:.0} a second, {branches}, {corpus} inputs, {fresh} of them new")
}

/// Where inputs are.
struct Folders {
    corpus: PathBuf,
    crash: PathBuf,
    /// The input that runs, for a crash that ends the program.
    current: PathBuf,
}

impl Folders {
    fn of(target: &Target, folder: &Path) -> io::Result<Self> {
        let (corpus, crashes) = (
            folder.join("corpus").join(target.name),
            folder.join("crashes"),
        );
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&crashes)?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok(Self {
            corpus,
            crash: crashes.join(format!("{}-{}", target.name, now.as_secs())),
            current: crashes.join(format!("{}-running", target.name)),
        })
    }

    fn kept(&self) -> io::Result<Vec<Vec<u8>>> {
        fs::read_dir(&self.corpus)?
            .map(|entry| fs::read(entry?.path()))
            .collect()
    }

    /// Named after its content, so that the same is kept once.
    fn keep(&self, input: &[u8]) -> io::Result<()> {
        let hash = input.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        });
        fs::write(self.corpus.join(format!("{hash:016x}")), input)
    }
}

fn write_over(file: &mut File, input: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.set_len(input.len() as u64)?;
    file.write_all(input)
}

/// Ends the program where an input takes too long.
fn watch(name: &'static str, crash: PathBuf, current: PathBuf) {
    thread::spawn(move || {
        loop {
            let before = RUNS.load(Ordering::Relaxed);
            thread::sleep(LONGEST);
            if RUNS.load(Ordering::Relaxed) == before && fs::copy(&current, &crash).is_ok() {
                println!("{name}: hangs, input saved in {}", crash.display());
                std::process::exit(1);
            }
        }
    });
}

const LONGEST: Duration = Duration::from_secs(20);
