benchstat -format csv -col .file@alpha -row '.name,/size@(1M 4k)' -ignore /io,/bits,/gomaxprocs old.txt new.txt
